// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct VerdictTests {
    @Test(arguments: [
        (200, Verdict.success), (201, .success), (202, .success), (204, .success), (299, .success),
        (400, .refused(status: 400)), (404, .refused(status: 404)), (408, .failed(status: 408, retryAfter: nil)),
        (425, .failed(status: 425, retryAfter: nil)),
        (413, .refused(status: 413)), (499, .refused(status: 499)),
        (401, .unauthorized(status: 401)), (403, .unauthorized(status: 403)),
        (429, .throttled(status: 429, retryAfter: nil)),
        (500, .failed(status: 500, retryAfter: nil)), (502, .failed(status: 502, retryAfter: nil)),
        (503, .failed(status: 503, retryAfter: nil)), (511, .failed(status: 511, retryAfter: nil)),
        (599, .failed(status: 599, retryAfter: nil)),
        (100, .unexpected(status: 100)), (101, .unexpected(status: 101)), (199, .unexpected(status: 199)),
        (300, .unexpected(status: 300)), (302, .unexpected(status: 302)), (304, .unexpected(status: 304)),
        (600, .unexpected(status: 600)), (0, .unexpected(status: 0)), (-1, .unexpected(status: -1)),
        (.max, .unexpected(status: .max)), (.min, .unexpected(status: .min)),
    ])
    func everyStatusMeansOneThing(_ status: Int, _ verdict: Verdict) {
        #expect(Verdict(TransportResponse(status: status), now: 0) == verdict)
    }

    @Test func theWaitIsReadWhereThePlatformAsksForOne() {
        let headers = Samples.headers(("retry-after", "42"))
        let wait = Duration.seconds(42)
        func verdict(_ status: Int) -> Verdict {
            Verdict(TransportResponse(status: status, headers: headers), now: 0)
        }
        #expect(verdict(429) == .throttled(status: 429, retryAfter: wait))
        #expect(verdict(503) == .failed(status: 503, retryAfter: wait))
        #expect(verdict(408) == .failed(status: 408, retryAfter: wait))
        #expect(verdict(200) == .success)
        #expect(verdict(400) == .refused(status: 400))
    }

    @Test func aBodyChangesNothing() {
        #expect(Verdict(TransportResponse(status: 204, body: Array("surprise".utf8)), now: 0) == .success)
        #expect(
            Verdict(
                TransportResponse(status: 302, headers: Samples.headers(("Location", "file:///etc/passwd"))),
                now: 0
            )
                == .unexpected(status: 302)
        )
    }
}
