// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport
import Testing

/// The bytes of each kind of record that Iterable has in the state log.
@Suite struct StoredIterableRecordTests {
    @Test(arguments: RecordSample.iterable) func aRecordHasItsGoldenBytes(sample: RecordSample) throws {
        try sample.checkGoldenBytes()
    }

    @Test(arguments: RecordSample.iterable) func aShortenedRecordIsDamage(sample: RecordSample) {
        sample.checkThatShortenedOnesAreDamage()
    }

    @Test(arguments: RecordSample.iterable) func aFlippedBitIsSafe(sample: RecordSample) {
        sample.checkFlippedBits()
    }

    @Test(arguments: RecordSample.iterable) func aNewerVersionIsRefusedAsNewer(sample: RecordSample) {
        sample.checkVersions()
    }

    @Test(arguments: RecordSample.iterable) func unknownFieldsAreSkippedOrKept(sample: RecordSample) throws {
        try sample.checkUnknownFields()
    }
}
