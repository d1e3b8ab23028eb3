// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport
import Testing

/// The bytes of each kind of record that Infobip has in the state log.
@Suite struct StoredInfobipRecordTests {
    @Test(arguments: RecordSample.infobip) func aRecordHasItsGoldenBytes(sample: RecordSample) throws {
        try sample.checkGoldenBytes()
    }

    @Test(arguments: RecordSample.infobip) func aShortenedRecordIsDamage(sample: RecordSample) {
        sample.checkThatShortenedOnesAreDamage()
    }

    @Test(arguments: RecordSample.infobip) func aFlippedBitIsSafe(sample: RecordSample) {
        sample.checkFlippedBits()
    }

    @Test(arguments: RecordSample.infobip) func aNewerVersionIsRefusedAsNewer(sample: RecordSample) {
        sample.checkVersions()
    }

    @Test(arguments: RecordSample.infobip) func unknownFieldsAreSkippedOrKept(sample: RecordSample) throws {
        try sample.checkUnknownFields()
    }
}
