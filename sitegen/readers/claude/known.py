"""The kinds of records and the fields of a result that versions of Claude Code up to 2.1.329 are known to write.

Read or not: what is not here has come since, or is another program's, and is named on the problems page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sitegen.readers.common.records import words

MAX_UNKNOWN = 20
_KINDS = words(
    "assistant user result system stream_event rate_limit_event error tool_use tool_result progress attachment summary "
    "queue-operation file-history-snapshot last-prompt permission-mode mode ai-title custom-title pr-link auth_status "
    "tool_progress tool_use_summary cost-state continued-in agent-name agent-color tag worktree-state control_request "
    "control_response control_cancel_request keep_alive prompt_suggestion message"
)
_OF_SYSTEM = words(
    "init task_progress task_started task_notification task_updated hook_started hook_progress hook_response "
    "thinking_tokens status api_retry local_command_output session_state_changed files_persisted permission_denied "
    "memory_recall model_refusal commands_changed background_tasks_changed compact_boundary microcompact_boundary "
    "informational conversation_reset local_command stop_hook_summary turn_duration away_summary api_error "
    "bridge_status memory_saved scheduled_task_fire agents_killed elicitation_complete"
)
_FIELDS = words(
    "type subtype is_error duration_ms duration_api_ms num_turns result session_id total_cost_usd cost_usd total_cost "
    "usage permission_denials uuid modelUsage errors error structured_output stop_reason fast_mode_state "
    "deferred_tool_use terminal_reason api_error_status origin ttft_ms ttft_stream_ms time_to_request_ms "
    "time_to_request_from_spawn_ms warm_spare_claimed time_origin_ms user_message_uuid user_message_uuids "
    "request_sent_wall_ms resume_reason local_command fast_mode_disabled_reason queued_turn_count result_index "
    "startup_failure_reason invalid_config_file credential_expires_at role parent_tool_use_id timestamp model "
    "first_content_frame_ms"
)
_FAMILIES = ("first_stream_post_", "first_text_post_", "model_refusal_")


def unknown(kinds: Iterable[str], result: Mapping[str, Any]) -> tuple[str, ...]:
    """Which of the kinds of records, `system/init` or `user`, and which fields of a result nobody here knows."""
    found = [kind for kind in kinds if not _is_kind(kind)]
    found += [f"result.{name}" for name in result if name not in _FIELDS and not name.startswith(_FAMILIES)]
    return tuple(sorted(dict.fromkeys(name[:100] for name in found))[:MAX_UNKNOWN])


def _is_kind(kind: str) -> bool:
    main, _, sub = kind.partition("/")
    return kind == "None" or (
        main in _KINDS and (main != "system" or not sub or sub in _OF_SYSTEM or sub.startswith(_FAMILIES))
    )
