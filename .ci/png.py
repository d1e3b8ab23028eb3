# SPDX-License-Identifier: Apache-2.0
"""Makes a picture of a page small: a palette of 256 colours, packed as well as zlib can."""

import collections
import struct
import zlib


def chunks(data):
    place = 8
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        yield kind, data[place + 8:place + 8 + length]
        place += 12 + length


def pixels(data):
    """Width, height and the colours of an 8-bit PNG without a palette, row by row; transparency is let go."""
    width, height, depth, kind = struct.unpack(">IIBB", next(body for name, body in chunks(data) if name == b"IHDR")[:10])
    if depth != 8 or kind not in (2, 6):
        raise ValueError("only 8-bit colours are read")
    size = 4 if kind == 6 else 3
    packed = zlib.decompress(b"".join(body for name, body in chunks(data) if name == b"IDAT"))
    before, rows, stride = bytearray(width * size), [], width * size
    for number in range(height):
        start = number * (stride + 1)
        filtered, line = packed[start], bytearray(packed[start + 1:start + 1 + stride])
        if filtered == 2:
            line = bytearray((one + other) & 255 for one, other in zip(line, before))
        elif filtered:
            for index in range(stride):
                left = line[index - size] if index >= size else 0
                up, corner = before[index], before[index - size] if index >= size else 0
                if filtered == 1:
                    guess = left
                elif filtered == 3:
                    guess = (left + up) >> 1
                else:
                    near = left + up - corner
                    by_left, by_up, by_corner = abs(near - left), abs(near - up), abs(near - corner)
                    guess = left if by_left <= by_up and by_left <= by_corner else up if by_up <= by_corner else corner
                line[index] = (line[index] + guess) & 255
        before = line
        rows.append([bytes(line[index:index + 3]) for index in range(0, stride, size)])
    return width, height, rows


def smaller(data, limit=64):
    """The same picture with the most frequent colours; each other colour becomes the nearest of them."""
    width, height, rows = pixels(data)
    counts = collections.Counter(colour for row in rows for colour in row)
    palette = [colour for colour, _ in counts.most_common(limit)]
    places = {colour: place for place, colour in enumerate(palette)}
    for colour in counts:
        if colour not in places:
            places[colour] = min(range(len(palette)), key=lambda place: sum(
                (one - other) ** 2 for one, other in zip(colour, palette[place])))
    bits = 4 if len(palette) <= 16 else 8
    lines = bytearray()
    for row in rows:
        indices = [places[colour] for colour in row]
        lines.append(0)
        if bits == 8:
            lines += bytes(indices)
        else:
            indices += [0] * (len(indices) % 2)
            lines += bytes(high << 4 | low for high, low in zip(indices[::2], indices[1::2]))
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 3, 0, 0, 0))
            + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(bytes(lines), 9)) + chunk(b"IEND", b""))
