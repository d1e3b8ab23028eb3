// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONWriterMembersTests {
    @Test func eachMemberIsANameAndItsValue() {
        var writer = JSONWriter()
        let count = 3
        writer.beginObject()
        writer.member("string", "x")
        writer.member("int64", Int64.max)
        writer.member("int", count)
        writer.member("literal", 1)
        writer.member("double", 1.5)
        writer.member("nan", Double.nan)
        writer.member("bool", true)
        writer.member("value", ["a": [1, nil]] as JSONValue)
        writer.member("\"\n", "")
        writer.endObject()
        let expected =
            #"{"string":"x","int64":9223372036854775807,"int":3,"literal":1,"double":1.5,"nan":null,"bool":true,"#
            + #""value":{"a":[1,null]},"\"\n":""}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test func aValueIsWrittenInsideOthers() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(["a": 1.5, "b": "x"])
        writer.value(nil)
        writer.value([])
        writer.value(false)
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"[{"a":1.5,"b":"x"},null,[],false]"#)
    }
}
