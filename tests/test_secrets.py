import json
import random
import re
import string
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from total_recall.secrets import PATTERNS, Masked, mask

BASE62 = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
MASK = re.compile(r"\[masked [a-z-]+\]")
NO_TEXT = re.compile(rb"(?:\[masked [a-z-]+\]|\xff)+")  # 0xff is no byte of UTF-8


def made(size: int, alphabet: str = BASE62) -> str:
    """Letters of no meaning, the same in every run: no credential stands in this file."""
    return "".join(random.Random(size).choices(alphabet, k=size))


def pem(kind: str, lines: int = 24, newline: str = "\n") -> str:
    body = newline.join(made(64, BASE62 + "+/") for _ in range(lines))
    return newline.join([f"-----BEGIN {kind}-----", body, f"-----END {kind}-----"])


JWT = ".".join(["eyJ" + made(17), "eyJ" + made(60, BASE62 + "-_"), made(43, BASE62 + "-_")])


@dataclass(frozen=True)
class Sample:
    name: str
    credential: str
    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        return self.before + self.credential + self.after

    @property
    def masked(self) -> str:
        return f"{self.before}[masked {self.name}]{self.after}"


SAMPLES = [
    Sample("aws-access-key", "AKIA" + made(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    Sample("aws-access-key", "ASIA" + made(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    *(Sample("github-token", f"gh{kind}_{made(36)}") for kind in "pousr"),
    Sample("github-token", f"github_pat_{made(22)}_{made(59)}"),
    *(Sample("gitlab-token", f"gl{kind}-{made(20)}") for kind in ("pat", "dt", "rt", "ptt")),
    Sample("gitlab-token", f"glpat-{made(27)}.{made(9, HEX)}"),
    Sample("slack-token", f"xoxb-{made(12, '0123456789')}-{made(13, '0123456789')}-{made(24)}"),
    Sample("slack-token", f"xapp-1-A{made(10)}-{made(13, '0123456789')}-{made(64, HEX)}"),
    Sample(
        "slack-webhook",
        f"T{made(10)}/B{made(10)}/{made(24)}",
        before="https://hooks.slack.com/services/",
    ),
    *(Sample("stripe-key", f"{a}k_{b}_{made(24)}") for a in "sr" for b in ("live", "test")),
    Sample("stripe-key", f"whsec_{made(32)}"),
    Sample("anthropic-key", f"sk-ant-api03-{made(93, BASE62 + '-_')}AA"),
    Sample("openai-key", f"sk-{made(48)}"),
    Sample("openai-key", f"sk-proj-{made(74)}T3BlbkFJ{made(74)}"),
    Sample("google-key", f"AIza{made(35)}"),
    Sample("google-key", f"GOCSPX-{made(28)}"),
    Sample("npm-token", f"npm_{made(36)}"),
    Sample("pypi-token", f"pypi-AgEIcHlwaS5vcmc{made(120, BASE62 + '-_')}"),
    Sample("sendgrid-key", f"SG.{made(22)}.{made(43)}"),
    Sample("twilio-key", f"SK{made(32, HEX)}"),
    Sample("telegram-token", f"AA{made(33)}", before="1234567890:"),
    Sample("huggingface-token", f"hf_{made(34)}"),
    Sample("jwt", JWT),
    Sample(
        "azure-key",
        made(86) + "==",
        before="DefaultEndpointsProtocol=https;AccountName=demo;AccountKey=",
        after=";EndpointSuffix=core.windows.net",
    ),
    Sample(
        "azure-key",
        made(43) + "=",
        before="Endpoint=sb://demo.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=",
    ),
    Sample("azure-key", made(43) + "%3D", before="https://demo.net/box?sv=2022-11-02&sig="),
    Sample("private-key", pem("PRIVATE KEY")),
    Sample("private-key", pem("RSA PRIVATE KEY")),
    Sample("private-key", pem("OPENSSH PRIVATE KEY", lines=6)),
    Sample("private-key", pem("PGP PRIVATE KEY BLOCK", lines=40)),
    Sample("private-key", pem("EC PRIVATE KEY", newline="\n    | ")),
    Sample("private-key", pem("PRIVATE KEY").rsplit("\n", 1)[0], after="\n"),
    Sample("url-password", "hunter2", before="postgres://app:", after="@db.internal:5432/app"),
    Sample("url-password", "n0t@obvious", before="https://bot:", after="@git.internal/x.git"),
    Sample("url-password", made(12), before="snowflake://loader:", after="@acme-eu1/raw/public"),
    Sample("bearer-token", made(40), before="Authorization: Bearer "),
    Sample("bearer-token", made(40), before="curl -H 'authorization: bearer ", after="' x.test"),
    Sample("authorization", made(40, HEX), before="Authorization: token "),
    Sample("authorization", made(40) + "==", before='"Authorization": "Basic ', after='"'),
    Sample("aws-secret-key", made(40), before="aws_secret_access_key = "),
    Sample("aws-secret-key", made(40), before='"SecretAccessKey": "', after='"'),
    Sample("password", "hunter2", before='password = "', after='"'),
    Sample("password", "Tr0ub4dor&3", before='{"user": "ann", "password": "', after='"}'),
    Sample("password", "s3same!open", before="config['db_passwd'] = '", after="'"),
    Sample("password", "s3same!open", before='db_password: str = "', after='"  # staging'),
    Sample("password", "hunter2x", before="export DB_PASSWORD="),
    Sample("password", "hunter2x", before="MYSQL_PWD=", after=" mysql"),
    Sample("password", "hunter2x", before="deploy --password ", after=" --yes"),
    Sample("password", "hunter2x", before="Server=db;Uid=app;Pwd=", after=";Encrypt=yes"),
    Sample(
        "password",
        "hunter2x",
        before="jdbc:snowflake://acme.snowflakecomputing.com/?user=loader&password=",
        after="&warehouse=wh",
    ),
    Sample("secret", made(32), before='api_key = "', after='"'),
    Sample("secret", made(24), before="  password: ", after="\n"),
    Sample("secret", made(32, HEX), before="TWILIO_AUTH_TOKEN="),
    Sample("secret", made(24), before='{"client_secret": "', after='"}'),
    Sample("secret", made(24), before="clientSecret: '", after="',"),
    Sample("secret", made(24), before="  apiKey: ", after="\n  region: eu"),
    Sample("secret", made(24), before="X-Api-Key: "),
    Sample("secret", made(24), before="<accessToken>", after="</accessToken>"),
    Sample("secret", made(24), before="deploy --api-token ", after=" --yes"),
    Sample("secret", made(24), before='ENV["SECRET_KEY_BASE"] = "', after='"'),
]


def label(sample: Sample) -> str:
    return f"{sample.name} {sample.text[:16]!r}"


SAMPLE = pytest.mark.parametrize("sample", SAMPLES, ids=label)

# What scanners like to cry over: hashes, ids, placeholders, references and prose.
LOOK_ALIKES = [
    f"fixed in {made(40, HEX)}",
    f"fixed in {made(7, HEX)} and {made(12, HEX)}",
    f"commit {made(64, HEX)}",
    "id 550e8400-e29b-41d4-a716-446655440000",
    f"sha256:{made(64, HEX)}",
    f"token: sha256:{made(64, HEX)}",
    f"md5 {made(32, HEX)} *notes.md",
    f'"integrity": "sha512-{made(86, BASE62 + "+/")}=="',
    f'<img src="data:image/png;base64,iVBORw0KGgo{made(200, BASE62 + "+/")}">',
    f"data:font/woff2;base64,d09GMgABAAAAA{made(200)}",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{made(43)} ann@laptop",
    "-----BEGIN PUBLIC KEY-----\n" + made(64) + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + made(64) + "\n-----END CERTIFICATE-----",
    "a block from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY----- is masked",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "we use a JWT token; token: the unit of cost",
    "the secret: keep it simple. The password = what the user typed.",
    'password = "changeme"',
    'password = "password123"',
    'password: "your-password-here"',
    'api_key = "YOUR_API_KEY_HERE_12345"',
    'api_key = "<your api key>"',
    'API_KEY="${API_KEY}"',
    "API_KEY=$API_KEY",
    "DB_PASSWORD=${DB_PASSWORD:-postgres1}",
    'password = "{{ vault_db_password_2 }}"',
    "password: %DB_PASSWORD2%",
    'token = os.environ["GITHUB_TOKEN_2024"]',
    "const token = process.env.ACCESS_TOKEN_2024_V2",
    "token = secrets.token_urlsafe(32)",
    "password = getpass.getpass('Password: ')",
    "self.token_2 = parse_token_v2(header_24601, line_18)",
    'secret_name = "prod/payments-2024/stripe-key-v2"',
    'secret: "prod/payments-2024/stripe-key-v2"',
    'token = "o200k_base"',
    '"max_tokens": 4096, "token_count": 123456789012',
    "tokens = 1748874667250",
    "password: ********",
    '"password": "[REDACTED]"',
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "aws_access_key_id = AKIAIOSFODNN7" + "EXAMPLE",
    "ghp_" + "x" * 36,
    "sk-" + "x" * 48,
    "sk-your-openai-key-goes-in-this-place",
    "the task-sk-learn-2024-model-v3-alpha-beta",
    "postgres://user:password@localhost/app",
    "postgres://app:${DB_PASSWORD}@localhost/app",
    "https://example.org:8080/@scope/package",
    "docker://redis:7.0@sha256:" + made(64, HEX),
    "ssh://git@github.com:22/team/repo.git",
    "Authorization: Bearer <token>",
    "Bearer authentication-with-rotating-tokens is used",
    "Authorization: Basic authentication-scheme",
    "npm_config_registry=https://registry.example.org npm_lifecycle_event",
    'label("password", "Password?") and $("#password-field-1")',
    "PWD=/home/me/code/total-recall-2024",
    "PASS: tests/test_index_2.py (12 of 34)",
    "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "the SKILL.md of SKU 12345678901234567890123456789012",
    "scripts/total_recall/secrets.py:41: keyword = value",
]


def test_every_pattern_and_every_keyword_has_a_sample() -> None:
    data = [(sample.name, sample.text.encode()) for sample in SAMPLES]
    unseen = [
        (pattern.name, keyword)
        for pattern in PATTERNS
        for keyword in pattern.keywords
        if not any(name == pattern.name and keyword.lower() in t.lower() for name, t in data)
    ]

    assert unseen == []


@SAMPLE
def test_a_credential_is_masked(sample: Sample) -> None:
    assert mask(sample.text) == Masked(sample.masked, 1)


@SAMPLE
def test_a_credential_in_prose_is_masked(sample: Sample) -> None:
    before, after = "We paste it here, 决策 — ", "\nand go on. Ünïcödé 😀"

    assert mask(before + sample.text + after) == Masked(before + sample.masked + after, 1)


@SAMPLE
def test_a_credential_in_json_is_masked(sample: Sample) -> None:
    """In a line of a transcript quotes and line breaks are escaped."""
    turn = {"type": "tool", "output": [f"$ cat .env\n{sample.text}\ndone"]}
    masked = json.dumps(turn).replace(
        json.dumps(sample.credential)[1:-1], f"[masked {sample.name}]"
    )

    assert mask(json.dumps(turn)) == Masked(masked, 1)


@SAMPLE
@pytest.mark.parametrize("border", [4096, 16384, 65536])
def test_a_credential_across_a_border_of_a_long_text_is_masked(sample: Sample, border: int) -> None:
    """Wherever somebody might come to cut a text into windows."""
    filler = ("The index is derived and can be rebuilt. " * (border // 40 + 1))[: border - 1] + "\n"
    start, size = len(sample.before), len(sample.text)
    for inside in {0, 1, start, start + 1, (start + size) // 2, size - 1, size}:
        text = filler[inside:] + sample.text + "\n" + filler
        masked = filler[inside:] + sample.masked + "\n" + filler

        assert mask(text) == Masked(masked, 1), inside


@pytest.mark.parametrize("lines", [1, 50, 250, 500])
def test_a_key_block_of_any_size_is_one_credential(lines: int) -> None:
    text = f"before\n{pem('RSA PRIVATE KEY', lines)}\nafter"

    assert mask(text) == Masked("before\n[masked private-key]\nafter", 1)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_left(text: str) -> None:
    assert mask(text) == Masked(text, 0)


def test_the_earliest_and_longest_match_gives_the_name() -> None:
    assert mask(f"Bearer {JWT}") == Masked("Bearer [masked jwt]", 1)
    assert mask(f"API_TOKEN={SAMPLES[2].text}") == Masked("API_TOKEN=[masked github-token]", 1)


def test_an_assignment_inside_a_refused_value_is_seen() -> None:
    text = f'token = "https://x.test/hook?token={made(24)}"'

    assert mask(text) == Masked('token = "https://x.test/hook?token=[masked secret]"', 1)


def test_all_credentials_of_a_text_are_counted() -> None:
    text = "\n".join(sample.text for sample in SAMPLES)

    assert mask(text) == Masked("\n".join(sample.masked for sample in SAMPLES), len(SAMPLES))


KEYWORDS = sorted({word.decode() for pattern in PATTERNS for word in pattern.keywords})
FRAGMENTS = st.one_of(
    st.sampled_from([sample.text for sample in SAMPLES if len(sample.text) < 200]),
    st.sampled_from([sample.credential for sample in SAMPLES if len(sample.text) < 200]),
    st.sampled_from(LOOK_ALIKES),
    st.sampled_from(KEYWORDS),
    st.sampled_from(
        [*"\"'`\\=:;&@/.-_ \n|>[]({$#", "\\n", '\\"', "a1", "[masked jwt]", "é", "\ud800"]
    ),
    st.text(max_size=8),
    st.builds(made, st.integers(1, 80)),
)
TEXTS = st.lists(FRAGMENTS, max_size=8).map("".join)


@given(TEXTS)
@settings(deadline=None)
def test_masking_twice_changes_nothing(text: str) -> None:
    once = mask(text)

    assert mask(once.text) == Masked(once.text, 0)


@given(TEXTS)
@settings(deadline=None)
def test_nothing_outside_the_matches_changes(text: str) -> None:
    text = text.replace("[masked", "")
    masked = mask(text)
    first, *others = MASK.split(masked.text)
    at = len(first)

    assert len(others) == masked.count
    assert text.startswith(first)
    for part in others:
        at = text.find(part, at + 1)
        assert at >= 0
        at += len(part)
    assert text.endswith(others[-1] if others else first)


@given(TEXTS)
@settings(deadline=None)
def test_keywords_miss_nothing_that_the_patterns_find(text: str) -> None:
    """The same by the long way: every pattern at every byte."""
    data = text.encode("utf-8", "surrogatepass")
    shown = bytearray(data)
    for pattern in PATTERNS:
        for at in range(len(data)):
            if found := pattern.regex.match(data, at):
                start, end = found.span(found.lastindex or 0)
                if pattern.plausible(data[start:end]):
                    shown[start:end] = b"\xff" * (end - start)
    masked = mask(text).text.encode("utf-8", "surrogatepass")

    assert NO_TEXT.sub(b"\xff", masked) == NO_TEXT.sub(b"\xff", shown)


@pytest.mark.parametrize("unit", [*KEYWORDS, '="', ":", "\\n"])
def test_a_hostile_text_takes_linear_time(unit: str) -> None:
    for hostile in (unit, f"{unit}=", f'{unit}="', f"{unit}=a1B2c3D4e5F6"):

        def text(size: int, hostile: str = hostile) -> str:
            return hostile * (size // len(hostile)) + "-a1B" * (size // 4)

        assert_linear(mask, text, 200_000)
