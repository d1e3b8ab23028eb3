// SPDX-License-Identifier: Apache-2.0

#if SIGNET_DEFLATE
import CSignetDeflate
import SignetTransport
import Testing

@testable import SignetEmulator

/// Events that come as gzip (`Content-Encoding: gzip`), and what says that it is gzip and is not.
@Suite struct CompressedBodyTests {
    private static let gzip = ("Content-Encoding", "gzip")
    private static let single = Array(
        (#"{"environment":"development","mpid":1,"source_request_id":"b","events":[{"event_type":"custom_event","data":"#
            + #"{"event_name":"seen","custom_event_type":"other"}}]}"#).utf8
    )
    private static let bulk = Array("[".utf8) + single + Array("]".utf8)

    private static func compressed(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
        let capacity = csignet_gzip_bound(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = csignet_gzip(bytes, bytes.count, buffer.baseAddress, capacity, level)
        }
    }

    private static func answer(
        _ body: [UInt8],
        _ headers: [(String, String)] = [gzip],
        path: String = "/v2/events",
        of platform: Platform = Platform()
    ) async -> Answer {
        let request = Platform.request(path, body, headers: [Platform.basic()] + headers)
        return Answer(await platform.emulator.handle(request))
    }

    @Test func compressedEventsAreTaken() async {
        let platform = Platform()
        #expect(await Self.answer(Self.compressed(Self.single), of: platform).status == 202)
        #expect(await Self.answer(Self.compressed(Self.bulk), path: "/v2/bulkevents", of: platform).status == 202)
        #expect(platform.events(1).map(\.name) == ["seen"])
        #expect(platform.emulator.batches().map(\.deliveries) == [2])
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip"]) func gzipHasTwoNames(name: String) async {
        let answer = await Self.answer(Self.compressed(Self.single), [("Content-Encoding", name)])
        #expect(answer.status == 202)
    }

    @Test(arguments: ["deflate", "br", "zstd", "compress", "", "gzip, gzip", "identity, gzip", "gzip;q=1", "x"])
    func anotherEncodingIsRefused(name: String) async {
        for body in [Self.compressed(Self.single), Self.single] {
            let answer = await Self.answer(body, [("Content-Encoding", name)])
            #expect(answer.status == 415)
            #expect(answer.errorCode == "UNSUPPORTED_MEDIA_TYPE")
            #expect(answer.errorMessage?.contains("Content-Encoding") == true)
        }
    }

    @Test func anEncodingThatIsSaidTwiceIsRefused() async {
        let answer = await Self.answer(Self.compressed(Self.single), [Self.gzip, Self.gzip])
        #expect(answer.status == 415)
    }

    /// As the vendor's client for Android does: it signs the text, then compresses it.
    @Test func aSignatureIsOverTheTextBeforeCompression() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        let identity = Platform.identityBody(["device_application_stamp": "d"])
        let change: JSONValue = ["identity_type": "email", "old_value": nil, "new_value": "e"]
        let data: JSONValue = ["source_mpid": 1, "destination_mpid": 2]
        let requests: [(path: String, body: JSONValue, status: Int)] = [
            ("/v1/identify", identity, 200), ("/v1/login", Platform.identityBody(["customerid": "c"]), 200),
            ("/v1/logout", identity, 200), ("/v1/search", identity, 200),
            ("/v1/2/modify", ["environment": "development", "identity_changes": [change]], 200),
            (
                "/v1/identity/us1-emulated/alias",
                ["request_type": "alias", "api_key": "us1-emulated", "environment": "development", "data": data], 202
            ),
        ]
        for (path, body, status) in requests {
            let text = body.encoded()
            var request = Platform.signed(path, text, at: platform.time.milliseconds)
            request.headers.append(name: "Content-Encoding", value: "gzip")
            request.body = Self.compressed(text)
            #expect(await platform.emulator.handle(request).status == status, "\(path)")
            // The compressed bytes themselves are not what is signed.
            var other = Platform.signed(path, request.body, at: platform.time.milliseconds)
            other.headers.append(name: "Content-Encoding", value: "gzip")
            #expect(await platform.emulator.handle(other).status == 401, "\(path)")
        }
    }

    @Test func aSignedBodyIsExpandedWithinTheLimitOfItsService() async {
        let platform = Platform()
        let limit = EmulatorLimits().identityRequestBytes
        let text = Platform.identityBody(["email": "e"]).encoded()
        for (count, status) in [(limit, 200), (limit + 1, 400), (1 << 20, 400)] {
            let padded = text + [UInt8](repeating: 0x20, count: count - text.count)
            var request = Platform.signed("/v1/identify", padded, at: platform.time.milliseconds)
            request.headers.append(name: "Content-Encoding", value: "gzip")
            request.body = Self.compressed(padded)
            #expect(await platform.emulator.handle(request).status == status, "\(count) bytes")
        }
        #expect(platform.emulator.users().count == 1)
    }

    @Test func eachCutIsRefused() async {
        let platform = Platform()
        let whole = Self.compressed(Self.single)
        for count in 0..<whole.count {
            let answer = await Self.answer(Array(whole[..<count]), of: platform)
            #expect(answer.status == 400, "\(count) of \(whole.count) bytes")
            #expect(answer.errorMessage?.contains("gzip") == true)
        }
        #expect(platform.emulator.batches().isEmpty)
    }

    @Test func aByteThatChangedOnTheWayIsNoticed() async {
        let platform = Platform()
        let whole = Self.compressed(Self.single)
        // Of the head, the time, the flags of the compressor and the system say nothing of the bytes.
        for place in whole.indices where !(4...9).contains(place) {
            var bytes = whole
            bytes[place] ^= 0x55
            #expect(await Self.answer(bytes, of: platform).status == 400, "byte \(place)")
        }
        #expect(platform.emulator.batches().isEmpty)
    }

    @Test func whatSaysToBeCompressedAndIsNotIsRefused() async {
        for body in [Self.single, [], [0x1F], [0x1F, 0x8B], Array("hello".utf8), [UInt8](repeating: 0, count: 1000)] {
            #expect(await Self.answer(body).status == 400)
        }
    }

    @Test func severalMembersAreOneBodyAndWhatComesBehindIsRefused() async {
        let half = Self.single.count / 2
        let members = Self.compressed(Array(Self.single[..<half])) + Self.compressed(Array(Self.single[half...]))
        #expect(await Self.answer(members).status == 202)
        #expect(await Self.answer(members + [0]).status == 400)
        #expect(await Self.answer(Self.compressed(Self.single) + Self.single).status == 400)
    }

    @Test func theLimitIsThatOfTheExpandedBody() async {
        let limit = EmulatorLimits().eventsRequestBytes
        func padded(to count: Int) -> [UInt8] {
            Self.bulk + [UInt8](repeating: 0x20, count: count - Self.bulk.count)
        }
        #expect(await Self.answer(Self.compressed(padded(to: limit)), path: "/v2/bulkevents").status == 202)
        let answer = await Self.answer(Self.compressed(padded(to: limit + 1)), path: "/v2/bulkevents")
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains("longer") == true)
        let batch = Self.single + [UInt8](repeating: 0x20, count: EmulatorLimits().batchBytes)
        #expect(await Self.answer(Self.compressed(batch)).errorMessage?.contains("batch is longer") == true)
    }

    @Test func aBombIsNotExpandedBeyondTheLimit() throws {
        let bomb = Self.compressed([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        for limit in [0, 1, 1 << 18] {
            #expect(throws: Gunzip.Failure.tooLong) { try Gunzip.expand(bomb, limit: limit) }
        }
        let short = Self.compressed([UInt8](repeating: 7, count: 1 << 18))
        #expect(try Gunzip.expand(short, limit: 1 << 18) == [UInt8](repeating: 7, count: 1 << 18))
        #expect(throws: Gunzip.Failure.tooLong) { try Gunzip.expand(short, limit: (1 << 18) - 1) }
        #expect(try Gunzip.expand(Self.compressed([]), limit: 0) == [])
    }

    @Test func randomBytesHurtNobody() {
        let seed = Seed.base()
        var random = SplitMix64(seed: seed)
        for length in 0..<500 {
            var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if length > 3, length.isMultiple(of: 2) { bytes.replaceSubrange(0..<3, with: [0x1F, 0x8B, 8]) }
            // Most are refused; none traps or goes on without end.
            do throws(Gunzip.Failure) {
                #expect(try Gunzip.expand(bytes, limit: 1000).count <= 1000, "seed \(seed)")
            } catch {
                #expect(error != .unavailable, "seed \(seed)")
            }
        }
    }
}
#endif
