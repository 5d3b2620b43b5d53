"""Words that carry grammar rather than meaning.

They are not scored when a query holds any other word. Kept out on purpose: ``us`` (the country), ``may`` (the month),
directions and comparisons (``up``, ``down``, ``over``, ``under``, ``above``, ``below``, ``before``, ``after``,
``more``, ``less``, ``not``, ``no``, ``against``), which tell a rise from a fall. Written for this project; lists of
other languages are short.
"""

from __future__ import annotations

_ENGLISH = """
a an the
i me my mine we our ours you your yours he him his she her hers it its they them their theirs myself itself
themselves ourselves yourself himself herself one ones
this that these those there here such
what which who whom whose when where why how whether
am is are was were be been being do does did doing done have has had having
can could will would shall should might must ought
isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt wont wouldnt shouldnt couldnt cant lets
of in on at by for with from to into onto upon about as than between among during through within toward towards
and or but nor so if then because while though although since until unless
also any some each every both either neither other another same own too very just only ever
please tell say says said give show
"""

_FRENCH = """
a à le la les l un une des de d du au aux ce cet cette ces ça je j tu il elle on nous vous ils elles me te se s lui
leur mon ma mes son sa ses notre votre leurs qui que qu quoi dont où est sont était être a ont avoir et ou mais donc or
ni car dans en par pour avec sans sur sous chez ne n pas comment quand quel quelle quels quelles pourquoi
"""

_GERMAN = """
der die das den dem des ein eine einer eines einem einen ich du er sie es wir ihr mich dich sich uns euch ihm ihn ihnen
mein dein sein unser euer wer was wen wem wo wann warum wie welche welcher welches ist sind war waren sein hat haben
hatte wird werden wurde und oder aber denn weil dass ob in im an am auf aus bei mit nach von vom zu zum zur für um als
"""

_SPANISH = """
el la los las un una unos unas de del al a en por para con sin sobre entre y e o u pero que qué quien quién cual cuál
cuando cuándo donde dónde como cómo es son era fue ser estar está están ha han yo tú él ella nosotros ellos ellas se le
les lo me te nos su sus mi mis este esta estos estas ese esa esos esas
"""

FUNCTION_WORDS: dict[str, str] = {"english": _ENGLISH, "french": _FRENCH, "german": _GERMAN, "spanish": _SPANISH}
"""For each language, its function words as written, separated by white space."""
