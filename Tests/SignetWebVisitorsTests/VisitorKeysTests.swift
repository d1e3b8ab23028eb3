// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import SignetWebVisitors

@Suite struct VisitorKeysTests {
    private static let first = (0..<32).map { UInt8($0) }
    private static let second = (0..<32).map { UInt8(100 + $0) }
    // Computed with Python's hmac and hashlib: HMAC-SHA256 of "signet.visitor.1." and the id with the key 0, 1, … 31.
    private static let token = "1.AAECAwQFBgcICQoLDA0ODw.6ufi-MZtmmmnXA1Pmb7hl8WusoKmDFk8rninK1CpJQM"

    @Test func aTokenIsVersionIdAndSignature() throws {
        let keys = try VisitorKeys([Self.first])
        let found = try #require(keys.verify(Array(Self.token.utf8)))
        #expect(found.visitor.text == "AAECAwQFBgcICQoLDA0ODw" && found.isCurrent)
        #expect(found.visitor.installation == "AAECAwQFBgcICQoLDA0ODw")
        #expect(keys.token(for: found.visitor) == Self.token)
    }

    @Test func theFirstKeySignsAndAllVerify() throws {
        let rotated = try VisitorKeys([Self.second, Self.first])
        let found = try #require(rotated.verify(Array(Self.token.utf8)))
        #expect(!found.isCurrent)
        let renewed = rotated.token(for: found.visitor)
        #expect(renewed != Self.token)
        #expect(rotated.verify(Array(renewed.utf8))?.isCurrent == true)
        #expect(try VisitorKeys([Self.second]).verify(Array(Self.token.utf8)) == nil)
    }

    @Test func oneBitOfATokenMakesItForged() throws {
        let keys = try VisitorKeys([Self.first])
        let token = Array(Self.token.utf8)
        for index in token.indices {
            for bit in 0..<8 {
                var changed = token
                changed[index] ^= 1 << bit
                #expect(keys.verify(changed) == nil, "byte \(index), bit \(bit)")
            }
        }
        #expect(keys.verify([]) == nil && keys.verify(token.dropLast()) == nil && keys.verify(token + [65]) == nil)
    }

    @Test(arguments: [("", WebVisitorsError.Code.noKey), (",", .noKey), ("AAAA", .shortKey), ("!", .keyText)])
    func aKeyThatIsTooWeakIsAnError(text: String, code: WebVisitorsError.Code) {
        let error = #expect(throws: WebVisitorsError.self) { try VisitorKeys(base64: Secret(text)) }
        #expect(error?.code == code)
    }

    @Test func keysAreReadFromBase64AndNeverPrinted() throws {
        let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let keys = try VisitorKeys(base64: Secret(" \(text),\n\(text.replacing("=", with: ""))"))
        #expect(keys.verify(Array(Self.token.utf8))?.isCurrent == true)
        #expect("\(keys)" == "2 keys" && String(reflecting: keys) == "2 keys")
        let many = [[UInt8]](repeating: Self.first, count: 9)
        #expect(#expect(throws: WebVisitorsError.self) { try VisitorKeys(many) }?.code == .tooManyKeys)
    }

    @Test func idsAre128RandomBits() {
        let ids = Set((0..<1000).map { _ in VisitorID.random() })
        #expect(ids.count == 1000)
        #expect(ids.allSatisfy { $0.text.utf8.count == 22 && $0.installation.isValid })
    }
}
