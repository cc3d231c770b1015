"""A real name server on loopback, by UDP and TCP."""

import socketserver
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

Zone = Mapping[tuple[str, str], Sequence[str]]  # (name, record type) → records

BY_UDP = 512  # bytes; a longer reply is asked for again by TCP


def reply_to(question: bytes, zone: Zone) -> dns.message.Message:
    """Return the server's reply to a question in the format of DNS."""
    query = dns.message.from_wire(question)
    (asked,) = query.question
    name, kind = asked.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(asked.rdtype)
    answer = dns.message.make_response(query, recursion_available=True)
    values = [_text(value) if kind == "TXT" else value for value in zone.get((name, kind), ())]
    if values:
        answer.answer.append(dns.rrset.from_text_list(asked.name, 60, "IN", kind, values))
    elif all(name != other for other, _kind in zone):
        answer.set_rcode(dns.rcode.NXDOMAIN)
    return answer


def _text(value: str) -> str:
    return " ".join(f'"{value[at : at + 255]}"' for at in range(0, len(value), 255))


@contextmanager
def running(zone: Zone) -> Iterator[str]:
    """Serve this zone, which a test may change while it is served; yield address:port."""

    class ByUdp(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            question, line = self.request
            reply = reply_to(question, zone)
            if len(reply.to_wire()) > BY_UDP:
                reply.answer.clear()
                reply.flags |= dns.flags.TC
            line.sendto(reply.to_wire(), self.client_address)

    class ByTcp(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            (length,) = struct.unpack(">H", self.rfile.read(2))
            reply = reply_to(self.rfile.read(length), zone).to_wire()
            self.wfile.write(struct.pack(">H", len(reply)) + reply)

    with socketserver.TCPServer(("127.0.0.1", 0), ByTcp) as tcp:
        port = tcp.server_address[1]
        with socketserver.UDPServer(("127.0.0.1", port), ByUdp) as udp:
            for one in (tcp, udp):
                threading.Thread(target=one.serve_forever, args=(0.05,), daemon=True).start()
            yield f"127.0.0.1:{port}"
            udp.shutdown()
            tcp.shutdown()
