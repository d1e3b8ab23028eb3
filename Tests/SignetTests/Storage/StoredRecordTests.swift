// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport
import Testing

/// The bytes of each kind of record in the state log.
@Suite struct StoredRecordTests {
    @Test(arguments: RecordSample.all) func aRecordHasItsGoldenBytes(sample: RecordSample) throws {
        try sample.checkGoldenBytes()
    }

    @Test(arguments: RecordSample.all) func aShortenedRecordIsDamage(sample: RecordSample) {
        sample.checkThatShortenedOnesAreDamage()
    }

    @Test(arguments: RecordSample.all) func aFlippedBitIsSafe(sample: RecordSample) {
        sample.checkFlippedBits()
    }

    @Test(arguments: RecordSample.all) func aNewerVersionIsRefusedAsNewer(sample: RecordSample) {
        sample.checkVersions()
    }

    @Test(arguments: RecordSample.all) func unknownFieldsAreSkippedOrKept(sample: RecordSample) throws {
        try sample.checkUnknownFields()
    }
}
