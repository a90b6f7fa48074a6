"""Keeps one comment with the figures on a pull request: changes the one that is there, or writes it.

Reads GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, NUMBER, SUMMARY (a file) and PREVIEW (an address, or empty).
Without the right to comment, as on a pull request from a fork, it says so and ends with 0.
Standard library only; made for any Python 3 of a runner.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

MARK = "<!-- sitegen -->"
MAX_CHARACTERS = 60_000
"""GitHub takes 65,536."""


def main() -> int:
    """The exit code."""
    try:
        text = (
            Path(os.environ["SUMMARY"]).read_text(encoding="utf-8")
            if os.environ.get("SUMMARY")
            else ""
        )
        text = cut(text) or "No site was built: see the log of the job.\n"
        if os.environ.get("PREVIEW"):
            text += f"\n[Download this site]({os.environ['PREVIEW']})\n"
        write(f"{MARK}\n{text}")
    except urllib.error.HTTPError as error:
        if error.code in (401, 403, 404):
            print(
                "::notice::No comment was written: give the job the permission pull-requests: write."
            )
            return 0
        print(f"::error::The comment could not be written: GitHub answers {error.code}.")
        return 1
    except OSError as error:
        print(f"::error::The comment could not be written: {error}.")
        return 1
    return 0


def cut(text: str) -> str:
    """The text up to the end of a row, where it is too long; heads without a row below them go too."""
    if len(text) <= MAX_CHARACTERS:
        return text
    lines = text[:MAX_CHARACTERS].splitlines(keepends=True)[:-1] or [text[:MAX_CHARACTERS] + "\n"]
    if lines[-1].startswith("| ---"):
        lines.pop()
    if text[sum(map(len, lines)) :].startswith("| ---"):
        lines.pop()
    return "".join(lines) + "\nThe summary of the job has the rest.\n"


def write(text: str) -> None:
    """Change our comment, or write it. Raises: OSError."""
    comments = (
        f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/{int(os.environ['NUMBER'])}/comments"
    )
    page = 1
    while True:
        found = call("GET", f"{comments}?per_page=100&page={page}")
        for comment in found:
            if comment["body"].startswith(MARK) and comment["user"]["type"] == "Bot":
                call(
                    "PATCH",
                    f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments/{int(comment['id'])}",
                    text,
                )
                return
        if len(found) < 100:
            break
        page += 1
    call("POST", comments, text)


def call(method: str, path: str, text: "str | None" = None) -> list:
    """What GitHub answers. Raises: OSError."""
    request = urllib.request.Request(
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        None if text is None else json.dumps({"body": text}).encode(),
        {
            "Authorization": "Bearer " + os.environ["GITHUB_TOKEN"],
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
        method=method,
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
