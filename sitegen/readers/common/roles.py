"""Parts that a model may play in an evaluation."""

from sitegen.readers.common.records import words

_JUDGES = words(
    "autorater grader graders judge judges scorer verifier evaluator critic monitor auditor red_team "
    "user user_simulator simulated_user fake_user simulator"
)


def is_judge(role: object) -> bool:
    """Return whether a model in this role judges the agent or plays its user: its usage is not the agent's."""
    return isinstance(role, str) and spelled(role) in _JUDGES


def spelled(role: str) -> str:
    """Return the name of a role as lists here spell it: `User-Simulator` is `user_simulator`."""
    return role.lower().replace("-", "_").replace(" ", "_")
