"""The settings about the making of runs."""

from typing import Annotated

from pydantic import Field

from sitegen.config.values import Text
from sitegen.system.bounds import Section


class SetupFacts(Section):
    """Facts about the making of runs that their files do not state."""

    agent_version: Text | None = None
    """Version of the agent."""
    model: Text | None = None
    """Id of the model."""
    effort: Text | None = None
    """Reasoning effort that was asked for."""
    prompt: Text | None = None
    """Prompt or skill: its version or digest."""
    permissions: Text | None = None
    """Permissions: the things that the agent could do without asking."""
    sandbox: Text | None = None
    """The place in which the agent ran, such as `Docker`."""
    limits: Text | None = None
    """Limits of a run, such as `30 minutes, 100 turns`."""
    retries: Text | None = None
    """Attempts after a failure: their number and their reasons."""
    network: Text | None = None
    """The hosts that the agent could reach."""
    judge: Text | None = None
    """The judge of the runs: tests, a model or people."""


class SetupSettings(SetupFacts):
    """Facts about the making of all runs, and of those of single configurations."""

    configurations: Annotated[dict[Text, SetupFacts], Field(max_length=1000)] = {}
    """Facts that differ, by name of the configuration as the site shows it."""

    def facts_of(self, configuration: str) -> dict[str, str]:
        """Return what is stated of a configuration: of itself, else of all."""
        facts: dict[str, str] = self.model_dump(exclude={"configurations"}, exclude_none=True)
        for name, special in self.configurations.items():
            if name.casefold() == configuration.casefold():
                facts |= special.model_dump(exclude_none=True)
        return facts
