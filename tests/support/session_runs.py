"""Small sessions of aider, Pi, OpenClaw and Cline, made up.

`python -m tests.support.session_runs` writes them into the corpus.
"""

from __future__ import annotations

AIDER_CHAT = """
# aider chat started at 2026-03-01 09:00:00

> /usr/bin/aider --message Name the tide.

It rises twice a day.~~
> Aider v0.86.1~~
> Main model: anthropic/claude-sonnet-4-5 with architect edit format~~
> Editor model: openai/gpt-4o-mini with editor-diff edit format~~
> Weak model: openai/gpt-4o-mini~~
> Added tide.py to the chat.~~

#### Name the tide.~~
#### ~~
#### It rises twice a day.~~

Call it `spring`.

> This is a quotation.

#### A heading

> Tokens: 4.2k sent, 240 cache write, 1.9k cache hit, 120 received.
Cost: $0.01 message, $0.01 session.~~

#### Call it `spring`.~~
#### ~~
#### > This is a quotation.~~
#### ~~
#### #### A heading~~

tide.py
```python
<<<<<<< SEARCH
name = "tide"
rises = 2
=======
name = "spring"
rises = 2
>>>>>>> REPLACE
```

> Tokens: 1.0k sent, 80 received. Cost: $0.0042 message, $0.02 session.~~
> Applied edit to tide.py~~
> Commit 0a1b2c3 feat: name the tide~~
> make test~~
> Run shell command? (Y)es/(N)o [Yes]: y~~
> Running make test~~

#### /model openai/gpt-4o~~
> Main model: openai/gpt-4o with diff edit format~~

#### And the ebb?~~

<thinking-content-0a1b>
The ebb is the other way.
</thinking-content-0a1b>

tide.py
```python
<<<<<<< SEARCH
nothing like it
=======
ebb = 2
>>>>>>> REPLACE
```

> Tokens: 11k sent, 40 received. Cost: $0.0031 message, $0.02 session.~~
> The LLM did not conform to the edit format.~~
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in tide.py
nothing like it~~
> litellm.RateLimitError: RateLimitError: slow down~~
> The API provider has rate limited you. Try again later or check your quotas.~~

# aider chat started at 2026-03-01 10:00:00

> Aider v0.86.1~~
> Model: openai/local-7b with whole edit format~~

#### What is a tide?~~

Water that comes and
>~~
> ^C again to exit~~
""".replace("~~", "  ")
FILES = {"aider-chat.md": AIDER_CHAT.encode()}
"""By name, as the corpus for fuzzing has them."""


if __name__ == "__main__":
    from pathlib import Path

    for name, content in FILES.items():
        (Path(__file__).parent.parent / "corpus" / "reader" / name).write_bytes(content)
