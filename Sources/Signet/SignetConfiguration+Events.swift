//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
public import SignetModel

extension SignetConfiguration {
    /// Events.
    public struct Events: Sendable {
        /// How batches travel.
        public enum UploadMode: Sendable, Hashable {
            /// Each batch in a request of its own (`/v2/events`): the platform tells for each whether it was taken.
            case single
            /// Up to 100 batches of as many installations in one request of at most 256 KB (`/v2/bulkevents`).
            ///
            /// Faster where many installations are served, but blinder: the platform answers 202 even when it refuses some
            /// of the batches, or all, and does not tell which. A refusal inside a 202 is invisible, and its events are
            /// counted as delivered.
            case bulk
        }

        /// What happens to an event for which there is no room.
        public enum OverflowPolicy: Sendable, Hashable {
            /// `log` throws `limitReached`, and so does what logs by itself, such as an `open` that begins a session.
            case refuse
            /// The oldest events make room, counted as dropped by limit; never where no limit is set.
            case dropOldest
        }

        /// What happens to an event that the disk does not take.
        public enum OnDiskFailure: Sendable, Hashable {
            /// `log` throws `diskFull` or `diskFailed`, and keeps nothing.
            case fail
            /// Up to that many bytes are kept in memory and written when the disk works again.
            ///
            /// `log` returns for them, but they do not survive the end of the process; statistics tell how many there are
            /// (``SignetStatistics/eventsInMemory``). When the memory is used up, `log` throws.
            case keepInMemory(bytes: Int)
        }

        /// How much disk events may take, and how long they are kept.
        public struct Storage: Sendable {
            /// Bytes of the events that wait, at least 1 MiB; nil for as much as the disk has.
            ///
            /// Not the disk that is needed: the files take about twice that and two segments of 8 MiB. Batches that are set
            /// aside come on top, at most 1000 of 128 KB, and so does what is known of installations.
            public var maximumBytes: UInt64?
            /// What happens to an event beyond that.
            public var whenFull = OverflowPolicy.refuse
            /// Bytes of events of one installation that wait for its first user.
            ///
            /// 1 MiB by default; beyond it the oldest of them make room, counted as dropped by limit.
            public var maximumBytesWithoutUser = 1 << 20

            /// How long an event is kept that cannot be delivered; an older one is dropped, counted as dropped by age.
            ///
            /// 90 days by default (what the vendor's SDKs keep), from 1 hour to 365 days. It is looked at once an hour, by the
            /// wall clock.
            public var maximumAge: Duration = .seconds(90 * 86_400)

            /// What happens to an event that the disk does not take.
            public var onDiskFailure = OnDiskFailure.fail

            /// Makes the defaults.
            public init() {}

            /// The bytes that may be in memory; nil for none.
            var memoryLimit: Int? {
                if case .keepInMemory(let bytes) = self.onDiskFailure { bytes } else { nil }
            }
        }

        /// The data plan that events are logged under; nil for none.
        ///
        /// Its id has 1 to 256 characters, its version is 1 to 1000 or nil for the newest.
        public var dataPlan: DataPlan?
        /// How batches travel.
        public var uploadMode = UploadMode.single
        /// How bodies are compressed on their way; not at all by default.
        ///
        /// `BodyCompression.gzip` is there under the trait `AsyncHTTPClientTransport`. The vendors' SDKs compress what they
        /// upload; try it with your endpoint, and with a proxy of your own, before you rely on it. The emulator takes it.
        public var compression = BodyCompression.none
        /// How long events wait for company, at least 1 s: 600 s in production, 10 s in development, unless set.
        ///
        /// What an earlier process left has waited since it was logged, to the minute: where that is longer ago, it goes at the
        /// start.
        public var uploadInterval: Duration?
        /// How long a commerce event, the end of a session or an opt-out waits for company.
        ///
        /// 1 s by default.
        public var priorityUploadDelay: Duration = .seconds(1)
        /// How many uploads are under way at once.
        ///
        /// 4 by default, 1 to 256. Of one installation there is never more than one batch under way, so that its events
        /// arrive in their order.
        public var maximumInFlight = 4
        /// The bytes of JSON of one batch.
        ///
        /// 128 KiB by default, which is what the Events API takes at most; at least 16 KiB. Events that make 100/128 of it are
        /// a full batch, which goes without waiting. One event that makes a longer batch goes alone, up to 128 KiB.
        public var maximumBatchBytes = UploadLimits.batchBytes
        /// The bytes of JSON of one request with several batches (``UploadMode/bulk``).
        ///
        /// 256 KiB by default, which is what the Events API takes at most; at least ``maximumBatchBytes``.
        public var maximumRequestBytes = UploadLimits.requestBytes
        /// How many batches go out in a second; nil for as many as there are.
        ///
        /// 270 by default, what the Events API takes; at least 0.1. When the platform says that its own limit is nearly
        /// used, fewer go.
        public var maximumBatchesPerSecond: Double? = 270
        /// How long one upload may take.
        ///
        /// 30 s by default, at least 1 s.
        public var requestTimeout: Duration = .seconds(30)
        /// How much disk events may take.
        public var storage = Storage()
        /// Sees each batch once, before it is sent for the first time, and may change or drop it.
        ///
        /// It is called on the way of all deliveries: return soon, and do not call the runtime. What was changed is counted
        /// in ``SignetStatistics/batchesChanged`` and kept across restarts; it is not called again for the same batch.
        public var onCreateBatch: (@Sendable (OutgoingBatch) -> BatchDecision)?

        /// Makes the defaults.
        public init() {}

        /// What cannot work.
        var problems: [String] {
            var problems: [String] = []
            if self.requestTimeout < .seconds(1) { problems.append("events.requestTimeout is below 1 s") }
            if !(1...256).contains(self.maximumInFlight) {
                problems.append("events.maximumInFlight is not within 1 to 256")
            }
            if !(16 * 1024...UploadLimits.batchBytes).contains(self.maximumBatchBytes) {
                problems.append("events.maximumBatchBytes is not within 16 KiB to 128 KiB")
            }
            if self.maximumRequestBytes > UploadLimits.requestBytes {
                problems.append("events.maximumRequestBytes is above 256 KiB")
            }
            if self.maximumRequestBytes < self.maximumBatchBytes {
                problems.append("events.maximumRequestBytes is below events.maximumBatchBytes")
            }
            let age = self.storage.maximumAge
            if age < .seconds(3600) || age > .seconds(365 * 86_400) {
                problems.append("events.storage.maximumAge is not within 1 hour to 365 days")
            }
            if let plan = self.dataPlan {
                if plan.id.isEmpty || plan.id.utf16.count > DataPlan.idLength {
                    problems.append("events.dataPlan.id has not 1 to \(DataPlan.idLength) characters")
                }
                if let version = plan.version, !DataPlan.versions.contains(version) {
                    problems.append("events.dataPlan.version is not within 1 to 1000; nil is the newest")
                }
            }
            if self.priorityUploadDelay < .zero { problems.append("events.priorityUploadDelay is negative") }
            if let interval = self.uploadInterval, interval < .seconds(1) {
                problems.append("events.uploadInterval is below 1 s")
            }
            if let rate = self.maximumBatchesPerSecond, !(rate.isFinite && rate >= 0.1) {
                problems.append("events.maximumBatchesPerSecond is below 0.1, or no number; nil is no limit")
            }
            if let bytes = self.storage.maximumBytes, bytes < 1 << 20 {
                problems.append("events.storage.maximumBytes is below 1 MiB")
            }
            if self.storage.maximumBytesWithoutUser < 1 {
                problems.append("events.storage.maximumBytesWithoutUser is below 1")
            }
            if let limit = self.storage.memoryLimit, limit < 1 {
                problems.append("events.storage.onDiskFailure keeps less than 1 byte")
            }
            return problems
        }
    }

    /// Sizes and times of delivery.
    var uploadLimits: UploadLimits {
        UploadLimits(
            bytes: self.events.maximumBatchBytes / 128 * 100,
            maximumBatchBytes: self.events.maximumBatchBytes,
            inFlight: self.events.maximumInFlight,
            interval: self.effectiveUploadInterval,
            priorityUploadDelay: self.events.priorityUploadDelay,
            batchesPerRequest: self.events.uploadMode == .bulk ? 100 : 1,
            maximumRequestBytes: self.events.maximumRequestBytes,
            batchesPerSecond: self.events.maximumBatchesPerSecond,
            maximumAge: self.events.storage.maximumAge,
            bytesWithoutUser: self.events.storage.maximumBytesWithoutUser
        )
    }

    /// How the journal stores events.
    var journalOptions: Journal.Options {
        var options = self.journal
        options.limitBytes = self.events.storage.maximumBytes ?? options.limitBytes
        if self.events.storage.whenFull == .dropOldest { options.whenFull = .dropOldest }
        return options
    }
}
