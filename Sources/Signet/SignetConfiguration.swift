//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetJournal
public import SignetModel
public import SignetTransport

package import struct FoundationEssentials.UUID

/// Everything that a runtime is told at its start.
public struct SignetConfiguration: Sendable {
    /// The API key of the workspace's input.
    ///
    /// Its part before the first dash routes to a data centre.
    public var apiKey: String
    /// The secret of the key; may be rotated, never stored.
    ///
    /// Never empty: events go with it also where ``authentication`` is ``Authentication/keyOnly``.
    public var secret: Secret
    /// The folder of the runtime's state: made if missing (0700), used by one runtime at a time, for one key for ever.
    ///
    /// A path as the system takes it, absolute or from the working directory. `~` is not expanded: whose home that is depends
    /// on who starts the process, and what waits there would be left behind. A path that begins with it is
    /// `invalidConfiguration`.
    public var directory: String
    /// Which data set the requests belong to.
    public var environment: WorkspaceEnvironment = .production
    /// The kind of client that identity requests speak for (`client_sdk.platform`).
    ///
    /// What this process runs on by default: `other` on a server. One that serves browsers alone may say `web`; one that
    /// serves several kinds says nothing untrue with `other`.
    public var clientPlatform = ClientPlatform.current
    /// The app that events come from: in all batches, as it was when their session began.
    public var application: ApplicationInformation?
    /// The device that events come from: in all batches, as it was when their session began.
    public var device: DeviceInformation?
    /// How identity requests prove who sends them.
    ///
    /// Events are always sent with Basic authentication.
    public var authentication: Authentication = .signature
    /// One base URL for identity, alias and events, such as your own proxy or an emulator; nil for the vendor's hosts.
    ///
    /// It carries the documented paths without a prefix between. Not together with ``endpoints``: a runtime refuses to start
    /// with both.
    public var baseURL: ServerURL?
    /// Hosts and path prefixes of single endpoints, such as a host name of your own (CNAME).
    public var endpoints = Endpoints()
    /// What an installation's user agreed to when it is opened and nothing is known of that; nil for nothing.
    ///
    /// Taken for whoever is current then, or for the first user, and kept as if ``Installation/setConsent(_:of:)`` had set it;
    /// not where a consent of the user or of the installation is known.
    public var defaultConsent: ConsentState?
    /// Unknown user activation; nil for none.
    public var iterable: IterableConfiguration?
    /// Profiles; nil for none.
    public var infobip: InfobipConfiguration?
    /// Identity calls.
    public var identity = Identity()
    /// Sessions.
    public var sessions = Sessions()
    /// Events.
    public var events = Events()
    /// How long a shutdown may take that nobody gives a limit: at the end of ``withSignet(_:transport:observer:isolation:_:)``,
    /// and when a service group shuts down gracefully (trait `ServiceLifecycleSupport`).
    ///
    /// 30 s by default.
    public var shutdownLimit: Duration = .seconds(30)
    /// The clocks; tests put their own here.
    package var time: TimeSource = .system()
    /// Chance, from 0 to 1, for the jitter of pauses; tests put their own here.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// Where the ids of sessions come from; tests put their own here, for the numbers made of them differ in length.
    package var newSessionID: @Sendable () -> UUID = { UUID.random() }
    /// The system calls of the stores; tests put faults here.
    package var disk = Disk()
    /// How the journal uses the disk; tests want small files.
    package var journal = Journal.Options()
    /// How the state log uses the disk, beside ``disk``; tests want small files.
    package var stateLog = StateLog.Options()

    /// Makes a configuration with the documented defaults.
    public init(apiKey: String, secret: Secret, directory: String) {
        self.apiKey = apiKey
        self.secret = secret
        self.directory = directory
    }

    /// How identity requests prove who sends them (IDSync HTTP API, authentication).
    public enum Authentication: Sendable, Hashable {
        /// A signature over method, date, path and body: what the vendor recommends.
        case signature
        /// Key and secret in the `Authorization` header.
        case basic
        /// The key alone; must be switched on for the workspace. The secret is needed all the same, for events.
        case keyOnly
    }

    /// Identity calls.
    public struct Identity: Sendable {
        /// How long one try of an identity request may take.
        ///
        /// 10 s by default, at least 1 s.
        public var requestTimeout: Duration = .seconds(10)
        /// How many identity requests of all installations are under way at once.
        ///
        /// 64 by default, at least 1.
        public var maximumInFlight = 64

        /// Makes the defaults.
        public init() {}
    }

    /// Sessions.
    public struct Sessions: Sendable {
        /// What counts as the end of a visit.
        public enum Mode: Sendable, Hashable {
            /// A server: there is no background; a session ends after the timeout without events.
            case server
            /// An app: in the foreground a session never ends; in the background it ends after the timeout.
            ///
            /// Until it first says ``Installation/enterBackground()``, its session does not time out.
            case application
        }

        /// Who begins and ends sessions.
        public enum Tracking: Sendable, Hashable {
            /// Signet: at open, at foreground, at an event (in apps a custom or commerce event), and after the timeout.
            case automatic
            /// The app, with ``Installation/beginSession()`` and ``Installation/endSession()``; no session times out.
            ///
            /// An open and, where there is no session, a custom or commerce event still begin one, as the vendors' SDKs
            /// do, unless ``Sessions/beginsAtOpen`` and `Event.beginsSession` are false.
            case manual
        }

        /// What counts as the end of a visit.
        public var mode: Mode = .server
        /// Who begins and ends sessions.
        public var tracking: Tracking = .automatic
        /// Whether an open begins a session; true by default.
        ///
        /// Where tracking is automatic and launches are told, an install and an upgrade begin one all the same.
        public var beginsAtOpen = true
        /// How long without events until the session ends; ``SignetRuntime/setSessionTimeout(_:)`` changes it later.
        ///
        /// 60 s by default, at least 1 s, no maximum.
        public var timeout: Duration = .seconds(60)
        /// Whether launches, changes between foreground and background and orderly ends are told to the platform
        /// (Events API v2, `application_state_transition`), and the first launch by `first_run`.
        ///
        /// When nil, apps do and servers do not.
        public var reportsApplicationState: Bool?
        /// What launches are, of all installations as long as this runtime lives; by default it is told from the version
        /// and build of ``SignetConfiguration/application``, and each can be something else.
        public var installType: InstallType = .autodetect

        /// Makes the defaults.
        public init() {}
    }
}
