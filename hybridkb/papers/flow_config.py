"""The settings of one run of the paper flow."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.base import Instant, KnowledgeModel, Name, Names
from hybridkb.knowledge.item import Confidence
from hybridkb.knowledge.provenance import Provenance
from hybridkb.papers.splitter import SplitterConfig
from hybridkb.papers.summary_config import SummaryConfig, SummaryLimits


class PaperFlowConfig(KnowledgeModel):
    """How a paper is read, cut and summarised, and what is said about it.

    Attributes:
        model: makes the summary; default HYBRIDKB_SUMMARY_MODEL, else gpt-4o-mini.
        base_url: of an OpenAI-compatible service; default HYBRIDKB_SUMMARY_URL, else OPENAI_BASE_URL, else OpenAI.
        api_key: default HYBRIDKB_SUMMARY_KEY, else OPENAI_API_KEY. Shown and stored nowhere.
        limits: what the summary may use.
        temperature, structured: as in :class:`~hybridkb.papers.SummaryConfig`.
        summarise: False makes no summary, and the result holds none.
        splitter: how the paper is cut.
        tree: whether the tree of sections is made.
        images: whether the pictures of the paper are kept.
        variant: a label; artifacts made under another one are siblings, also when all else is the same.
        title: instead of what the source says.
        published_at: when it appeared, instead of what the source says; files do not say.
        available_at: when a researcher could first see it, where that is later or better known than publication.
        tags, confidence, provenance: of the source and of every artifact.
    """

    model: Name | None = None
    base_url: str | None = None
    api_key: str | None = Field(default=None, repr=False, exclude=True)
    limits: SummaryLimits = SummaryLimits()
    temperature: float | None = None
    structured: Literal["auto", "schema", "plain"] = "auto"
    summarise: bool = True
    splitter: SplitterConfig = SplitterConfig()
    tree: bool = True
    images: bool = True
    variant: str = ""
    title: Name | None = None
    published_at: Instant | None = None
    available_at: Instant | None = None
    tags: Names = ()
    confidence: Confidence = "medium"
    provenance: Provenance | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.published_at and self.available_at and self.available_at < self.published_at:
            raise PydanticCustomError("times", "available_at is before published_at; nobody could see it then")
        try:
            self.summary_config()
        except InvalidInput as error:
            raise PydanticCustomError("summary", "{reason}", {"reason": str(error)}) from None
        return self

    def summary_config(self) -> SummaryConfig:
        """The settings of the summary alone."""
        return SummaryConfig(
            model=self.model,
            base_url=self.base_url,
            api_key=self.api_key,
            limits=self.limits,
            temperature=self.temperature,
            structured=self.structured,
            variant=self.variant,
        )
