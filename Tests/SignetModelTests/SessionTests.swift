// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@Suite struct SessionTests {
    @Test(
        arguments: [
            ("76F1ABB9-7A9A-4D4E-AB4D-56C8FF79CAD1", -6_881_666_186_511_944_082),
            ("222F6BEA-F6A8-4DFC-A950-744EFD6FEC3D", 7_868_951_891_731_938_297),
            ("B469F3A1-79B6-4E83-823A-53CFC41C3880", -5_269_132_687_922_921_892),
        ] as [(String, Int64)]
    )
    func theNumberIsTheOneThatTheVendorsGive(uuid: String, number: Int64) throws {
        for text in [uuid, uuid.lowercased()] {
            let session = Session(uuid: try #require(UUID(uuidString: text)), startTime: Date(timeIntervalSince1970: 0))
            #expect(session.id == number)
        }
    }
}
