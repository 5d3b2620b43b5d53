-- Each statement of a write sees what was committed before it, which nobody else can change while the lock is held.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE
