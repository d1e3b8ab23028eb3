// SPDX-License-Identifier: Apache-2.0

import SignetJournal
public import SignetModel

extension SignetConfiguration {
    /// Events.
    public struct Events: Sendable {
        /// The way in which batches are sent.
        public enum UploadMode: Sendable, Hashable {
            /// One request for each batch (`/v2/events`): the platform reports each outcome.
            case single
            /// Up to 100 batches of as many installations in one request of at most 256 KB (`/v2/bulkevents`).
            ///
            /// Faster with many installations, but less visible: the platform answers 202 even if it refuses some or all of
            /// the batches, and does not report which. A refusal inside a 202 is invisible, and its events are counted as
            /// delivered.
            case bulk
        }

        /// The facts of its user that a batch carries: attributes, removed attributes and consent.
        public enum UserFacts: Sendable, Hashable {
            /// Those that this installation has changed and the platform has not accepted yet.
            ///
            /// The default of a server: a customer may have several browsers, and one that only remembers an older
            /// answer must not undo a newer one of another. Of the consents of a user and of the installation the later
            /// one counts.
            case changes
            /// All attributes and the consent, in each batch, as the vendor's SDKs do.
            ///
            /// The consent of the installation supersedes those of its users.
            ///
            /// The default of an application. On a server, where each installation is the only one of its user, or an
            /// output takes user attributes from the batch alone.
            case all
        }

        /// The policy for an event for which there is no room.
        public enum OverflowPolicy: Sendable, Hashable {
            /// `log` throws `limitReached`, and so do calls that log by themselves, such as an `open` that begins a
            /// session.
            case refuse
            /// The oldest events are dropped, counted as dropped by limit; without a limit this never happens.
            case dropOldest
        }

        /// The policy for an event that the disk does not accept.
        public enum OnDiskFailure: Sendable, Hashable {
            /// `log` throws `diskFull` or `diskFailed`, and keeps nothing.
            case fail
            /// Up to that many bytes are kept in memory and written once the disk works again.
            ///
            /// `log` returns for them, but they do not survive the end of the process; ``SignetStatistics/eventsInMemory``
            /// counts them. Once the memory is used up, `log` throws.
            case keepInMemory(bytes: Int)
        }

        /// Limits for the size and the age of events on disk.
        public struct Storage: Sendable {
            /// The most bytes of waiting events, at least 1 MiB; nil for as much as the disk has.
            ///
            /// 1 GiB by default, so that an outage does not fill the disk of a server; nil in an application.
            ///
            /// The files need more disk: about twice that and two segments of 8 MiB. Dead letters come on top, at most 1000
            /// of 128 KB, and so does the state of installations.
            public var maximumBytes: UInt64? = 1 << 30
            /// The policy for an event beyond that limit.
            ///
            /// ``OverflowPolicy/refuse`` by default: an accepted event is never lost. The caller hears of the refusal, and
            /// ``SignetStatistics`` counts it. ``OverflowPolicy/dropOldest`` takes the new event and loses accepted ones.
            public var whenFull = OverflowPolicy.refuse
            /// The most bytes of events of one installation that wait for its first user.
            ///
            /// 1 MiB by default; beyond it the oldest of them are dropped, counted as dropped by limit.
            public var maximumBytesWithoutUser = 1 << 20

            /// The age at which an undeliverable event is dropped, counted as dropped by age.
            ///
            /// 90 days by default (as in the vendor's SDKs), from 1 hour to 365 days. It is checked once an hour, by the
            /// wall clock.
            public var maximumAge: Duration = .seconds(90 * 86_400)

            /// The policy for an event that the disk does not accept.
            public var onDiskFailure = OnDiskFailure.fail

            /// Makes the defaults.
            public init() {}

            /// The most bytes of events in memory; nil for none.
            var memoryLimit: Int? {
                if case .keepInMemory(let bytes) = self.onDiskFailure { bytes } else { nil }
            }
        }

        /// The data plan that events are logged under; nil for none.
        ///
        /// Its id has 1 to 256 characters, its version is 1 to 1000 or nil for the newest.
        public var dataPlan: DataPlan?
        /// The way in which batches are sent.
        public var uploadMode = UploadMode.single
        /// The compression of request bodies; none by default.
        ///
        /// `SignetConfiguration.Events.Compression.gzip` exists under the traits `Server` and
        /// `AsyncHTTPClientTransport`. The vendors' SDKs compress their uploads. Try it with your endpoint, and with
        /// your own proxy, before you rely on it. The emulator accepts it.
        public var compression = SignetConfiguration.Events.Compression.none
        /// The facts of its user that a batch carries; ``UserFacts/changes`` by default, ``UserFacts/all`` in an
        /// application.
        public var userFacts = UserFacts.changes
        /// The time that events wait for others, at least 1 s; 10 s by default.
        ///
        /// Nil, as in an application, is 600 s in production and 10 s in development.
        ///
        /// Events of an earlier process have waited since they were logged, to the minute; overdue ones are sent at the
        /// start.
        public var uploadInterval: Duration? = .seconds(10)
        /// The time that a commerce event, the end of a session or an opt-out waits for others.
        ///
        /// 1 s by default.
        public var priorityUploadDelay: Duration = .seconds(1)
        /// The pause of uploads, and of alias requests, after a 429 or 503 without `Retry-After`; from 1 s to 24 h.
        ///
        /// Nil, the default, is a pause of 5, 15, 60, 120, then 300 s, as after any failure: one such answer of a proxy
        /// does not silence a server. In an application it is 2 hours, as in the vendor's SDKs.
        public var pauseWithoutRetryAfter: Duration?
        /// The number of uploads in flight at once.
        ///
        /// 4 by default, 1 to 256. One installation has at most one batch in flight, so that its events arrive in
        /// order.
        public var maximumInFlight = 4
        /// The most bytes of JSON of one batch.
        ///
        /// 128 KiB by default, the maximum of the Events API; at least 16 KiB. Events that make 100/128 of it are a
        /// full batch, which is sent without waiting. One event that makes a longer batch is sent alone, up to 128 KiB.
        public var maximumBatchBytes = UploadLimits.batchBytes
        /// The most bytes of JSON of one request with several batches (``UploadMode/bulk``).
        ///
        /// 256 KiB by default, the maximum of the Events API; at least ``maximumBatchBytes``.
        public var maximumRequestBytes = UploadLimits.requestBytes
        /// The most batches sent per second; nil for no limit.
        ///
        /// 270 by default, the limit of the Events API; at least 0.1. Signet sends fewer if the platform reports that
        /// its own limit is nearly used.
        public var maximumBatchesPerSecond: Double? = 270
        /// The time limit of one upload.
        ///
        /// 30 s by default, at least 1 s.
        public var requestTimeout: Duration = .seconds(30)
        /// Limits for the size and the age of events on disk.
        public var storage = Storage()
        /// Receives each batch once, before it is first sent, and may change or drop it.
        ///
        /// It runs on the path of all deliveries: return soon, and do not call the runtime. Changes are counted in
        /// ``SignetStatistics/batchesChanged`` and kept across restarts; it is not called again for the same batch.
        /// With a shared store, a batch that waits before its first try is made again, with a new id.
        public var onCreateBatch: (@Sendable (OutgoingBatch) -> OutgoingBatch.Decision)?

        /// Makes the defaults.
        public init() {}

        /// The problems of these settings.
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
                    problems.append("events.dataPlan.id does not have 1 to \(DataPlan.idLength) characters")
                }
                if let version = plan.version, !DataPlan.versions.contains(version) {
                    problems.append("events.dataPlan.version is not within 1 to 1000; nil selects the newest")
                }
            }
            if self.priorityUploadDelay < .zero { problems.append("events.priorityUploadDelay is negative") }
            if let pause = self.pauseWithoutRetryAfter, pause < .seconds(1) || pause > .seconds(86_400) {
                problems.append("events.pauseWithoutRetryAfter is not within 1 s to 24 h; nil means growing pauses")
            }
            if let interval = self.uploadInterval, interval < .seconds(1) {
                problems.append("events.uploadInterval is below 1 s")
            }
            if let rate = self.maximumBatchesPerSecond, !(rate.isFinite && rate >= 0.1) {
                problems.append("events.maximumBatchesPerSecond is below 0.1 or not a number; nil means no limit")
            }
            if let bytes = self.storage.maximumBytes, bytes < 1 << 20 {
                problems.append("events.storage.maximumBytes is below 1 MiB")
            }
            if self.storage.maximumBytesWithoutUser < 1 {
                problems.append("events.storage.maximumBytesWithoutUser is below 1")
            }
            if let limit = self.storage.memoryLimit, limit < 1 {
                problems.append("events.storage.onDiskFailure has a memory limit below 1 byte")
            }
            return problems
        }
    }

    /// The sizes and times of delivery.
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

    /// The journal's options for events.
    var journalOptions: Journal.Options {
        var options = self.journal
        options.limitBytes = self.events.storage.maximumBytes ?? options.limitBytes
        if self.events.storage.whenFull == .dropOldest { options.whenFull = .dropOldest }
        return options
    }
}
