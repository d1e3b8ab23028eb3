// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Requests with several batches, and how many go out in a second.
@Suite struct UploadRequestRuleTests {
    private func bulk(_ installations: Int, batches: Int = 100, bytes: Int = 1000) -> Uploads {
        var uploads = Uploads(inFlight: 4, events: 1) {
            $0.batchesPerRequest = batches
            $0.maximumRequestBytes = bytes
        }
        for _ in 0..<2 { for installation in 1...installations { uploads.take(on: UInt32(installation)) } }
        return uploads
    }

    /// Cuts batches of a size until a request goes out.
    private func request(
        _ uploads: inout Uploads,
        size: Int = 100,
        now: Duration = .zero
    ) throws
        -> UploadStateMachine.Request
    {
        while uploads.machine.ready.count < 1000 {
            switch uploads.machine.next(now: now) {
            case .cut(let cut):
                uploads.machine.cut(UUID(), of: cut, count: cut.sequences.count, bytes: 0, size: size)
            case .send(let request): return request
            case .wait: throw Uploads.Unexpected(action: .wait(until: nil))
            }
        }
        throw Uploads.Unexpected(action: .wait(until: nil))
    }

    @Test func aRequestHoldsOneBatchAnInstallation() throws {
        var uploads = self.bulk(5)
        let request = try self.request(&uploads)
        #expect(request.batches.count == 5)
        let installations = request.batches.compactMap { uploads.machine.batches[$0]?.installation }
        #expect(Set(installations).count == 5)
        // The second batch of each waits for the answer.
        #expect(uploads.next() == "wait 10")
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(try self.request(&uploads).batches.count == 5)
    }

    @Test func aRequestHasNoMoreBatchesAndBytesThanAllowed() throws {
        var few = self.bulk(5, batches: 3)
        #expect(try self.request(&few).batches.count == 3)
        #expect(try self.request(&few).batches.count == 2)
        var small = self.bulk(5, bytes: 302)
        // Two and their comma and brackets take 203 bytes, three would take 304.
        #expect(try self.request(&small).batches.count == 2)
        var large = self.bulk(2, bytes: 50)
        #expect(try self.request(&large).batches.count == 1)
    }

    @Test func afterARefusalEachGoesAlone() throws {
        var uploads = self.bulk(3)
        let request = try self.request(&uploads)
        uploads.machine.finished(request.number, .apart(isOfPlatform: true), now: .zero)
        let alone = try (0..<3).map { _ in try self.request(&uploads) }
        #expect(alone.map(\.batches) == request.batches.map { [$0] })
    }

    @Test func aProbeIsOneBatch() throws {
        var uploads = self.bulk(3)
        let request = try self.request(&uploads)
        #expect(uploads.fail(request, .unauthorized, now: .zero) == .all(failures: 1))
        let probe = try self.request(&uploads, now: .seconds(5))
        #expect(probe.batches == [request.batches[0]])
        #expect(uploads.next(.seconds(5)) == "wait")
        uploads.machine.finished(probe.number, .settled, now: .seconds(5))
        #expect(try self.request(&uploads, now: .seconds(5)).batches.count == 3)
    }

    @Test func noMoreBatchesGoOutInASecondThanAllowed() throws {
        var uploads = Uploads(inFlight: 100, events: 1) { $0.batchesPerSecond = 5 }
        for installation in 1...20 { uploads.take(on: UInt32(installation)) }
        #expect(uploads.deliverAll().count == 6)
        guard case .wait(let until) = uploads.machine.next(now: .zero) else {
            return #expect(Bool(false), "The sixth batch is cut and waits.")
        }
        #expect(until == .milliseconds(200))
        #expect(uploads.next(.milliseconds(199)) == "wait 0")
        #expect(uploads.next(.milliseconds(200)) == "send")
        // Four go out, the fifth is cut and waits.
        #expect(uploads.deliverAll(.seconds(1)).count == 5)
    }

    @Test func whenThePlatformsLimitIsNearlyUsedFewerGo() {
        var limiter = RateLimiter(rate: 100, now: .zero)
        limiter.take(100)
        #expect(limiter.available(now: .zero) == 0)
        limiter.heed(percentageUsed: 95)
        #expect(limiter.available(now: .milliseconds(100)) == 5)
        limiter.heed(percentageUsed: 250)
        #expect(limiter.available(now: .milliseconds(200)) == 6)
        limiter.heed(percentageUsed: 20)
        #expect(limiter.available(now: .milliseconds(300)) == 16)
        // No clock goes back, and none fills the bucket beyond a second's worth.
        #expect(limiter.available(now: .zero) == 16)
        #expect(limiter.available(now: .seconds(1_000_000)) == 100)
        var free = RateLimiter(rate: nil, now: .zero)
        free.take(1_000_000)
        #expect(free.available(now: .zero) == .max)
    }
}
