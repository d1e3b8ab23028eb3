// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetWire

@Suite struct JSONWriterUUIDTests {
    @Test func aUUIDIsWrittenAsItsUpperCaseText() {
        for _ in 0..<100 {
            let uuid = UUID()
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("id", uuid)
            writer.endObject()
            #expect(Samples.text(writer.bytes) == "{\"id\":\"\(uuid.uuidString)\"}")
        }
    }

    @Test func everyDigitIsRight() {
        let uuid = UUID(
            uuid: (0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10)
        )
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", uuid)
        writer.endObject()
        #expect(Samples.text(writer.bytes) == #"{"id":"01234567-89AB-CDEF-FEDC-BA9876543210"}"#)
    }

    @Test func nilIsNull() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", String?.none)
        writer.member("b", String?.some("x"))
        writer.endObject()
        #expect(Samples.text(writer.bytes) == #"{"a":null,"b":"x"}"#)
    }
}
