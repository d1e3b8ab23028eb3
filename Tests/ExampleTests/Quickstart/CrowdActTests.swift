// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import quickstart

@Suite struct CrowdActTests {
    @Test(arguments: [2, 3, 200])
    func oneOfManyGoesThroughOneWaitsAndTheOthersAreRefused(size: Int) async throws {
        let counts = try await withTemporaryFolder { try await CrowdAct(size: size).run(in: $0) }
        #expect(counts.wentThrough == 1)
        #expect(counts.wentThroughAfterWaiting == 1)
        #expect(counts.refused == size - 2)
        #expect(counts.failed == 0)
        #expect(counts.requests == 2)
        #expect(counts.onTheWire == 1)
        #expect(counts.isAsPromised)
    }
}
