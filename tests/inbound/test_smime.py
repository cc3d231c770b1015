"""S/MIME: text that is signed as one block is read, and no block of bytes breaks the reading."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

from games.inbound import mime, reply_parser, smime

PART = b"Content-Type: text/plain; charset=utf-8\r\n\r\nB flag helmet\r\n"
HEAD = (
    b"From: bob@example.org\r\nContent-Type: application/pkcs7-mime; smime-type=signed-data\r\n"
    b"Content-Transfer-Encoding: 8bit\r\n\r\n"
)


@pytest.fixture(scope="module")
def block() -> bytes:
    """A part that was signed by a real library, with its content inside."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Bob")])
    begins = datetime(2026, 1, 1, tzinfo=UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=365))
        .sign(key, hashes.SHA256())
    )
    signing = pkcs7.PKCS7SignatureBuilder(PART).add_signer(certificate, key, hashes.SHA256())
    return signing.sign(Encoding.DER, [pkcs7.PKCS7Options.Binary])


def test_a_part_that_a_library_signed_is_read(block: bytes) -> None:
    assert smime.content_of(block) == PART
    assert reply_parser.read(mime.read(HEAD + block)).line == "B flag helmet"


def test_a_block_of_indefinite_length_in_pieces_is_read() -> None:
    """As programs write it that sign while they read."""
    pieces = b"".join(bytes([4, len(piece)]) + piece for piece in (PART[:40], PART[40:]))
    octets = b"\x24\x80" + pieces + b"\0\0"
    content = b"\x30\x80\x06\x09" + smime.DATA + b"\xa0\x80" + octets + b"\0\0" + b"\0\0"
    signed = b"\x30\x80\x02\x01\x01\x31\x00" + content + b"\x31\x00\0\0"
    block = b"\x30\x80\x06\x09" + smime.SIGNED_DATA + b"\xa0\x80" + signed + b"\0\0\0\0"
    assert smime.content_of(block) == PART


def test_other_data_is_no_content(block: bytes) -> None:
    enveloped = block.replace(smime.SIGNED_DATA, smime.SIGNED_DATA[:-1] + b"\x03")
    for data in (
        b"",
        b"M",
        b"\x30\x80",
        b"\x30\x84\xff\xff\xff\xff",
        b"\x30\x80" * 9000,
        enveloped,
    ):
        assert smime.content_of(data) is None
    assert mime.read(HEAD + enveloped).is_encrypted


def test_spoilt_blocks_break_nothing(block: bytes) -> None:
    dice = random.Random(10)
    for _block in range(300):
        data = bytearray(block)
        for _byte in range(dice.randint(1, 4)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        smime.content_of(bytes(data[: dice.randint(1, len(data))]))
