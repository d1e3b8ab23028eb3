// SPDX-License-Identifier: Apache-2.0

package import SignetJournal
public import SignetModel
public import SignetTransport
import SignetWire

package import struct FoundationEssentials.UUID

/// The configuration of a runtime.
public struct SignetConfiguration: Sendable {
    /// The API key of the workspace's input.
    ///
    /// Its part before the first dash routes to a data centre.
    public var apiKey: String
    /// The secret of the key; it may be rotated, and is never stored.
    ///
    /// Never empty: events need it also if ``authentication`` is ``Authentication/keyOnly``. One with a control character, such as the
    /// line break at the end of a mounted file, or with blanks around it is `invalidConfiguration`.
    public var secret: Secret
    /// The folder of the runtime's state: created if missing (0700), used by one runtime at a time, for one key
    /// forever.
    ///
    /// `~` and `~/…` are in the home directory: the environment's `HOME`, else the user's own. A relative path is in the
    /// working directory. Both are looked up once, when the runtime is made: a later `chdir` moves nothing. The home
    /// depends on the user who starts the process; waiting data stays in the home of another one. `~user/…`, an
    /// empty path, and one with a control character or with blanks around it are `invalidConfiguration`.
    public var directory: String
    /// The data set that requests belong to.
    public var environment: WorkspaceEnvironment = .production
    /// The kind of client in identity requests (`client_sdk.platform`).
    ///
    /// The default is the platform of this process: `other` on a server. A server for browsers alone may use `web`; one
    /// for several kinds stays with `other`.
    public var clientPlatform = ClientPlatform.current
    /// The app that events come from: in all batches, as at the begin of their session.
    public var application: ApplicationInformation?
    /// The device that events come from: in all batches, as at the begin of their session.
    public var device: DeviceInformation?
    /// The authentication of identity requests.
    ///
    /// Events are always sent with Basic authentication.
    public var authentication: Authentication = .signature
    /// One base URL for identity, alias and events, such as your own proxy or an emulator; nil for the vendor's hosts.
    ///
    /// The documented paths follow it directly. It excludes ``endpoints``: a runtime refuses to start with both.
    public var baseURL: ServerURL?
    /// Hosts and path prefixes of single endpoints, such as a host name of your own (CNAME).
    public var endpoints = Endpoints()
    /// The consent of a user whose consent is unknown when an installation opens; nil for none.
    ///
    /// It is set for the current user at the open, or for the first user, and kept as if
    /// ``Installation/setConsent(_:of:)`` had set it. A known consent of the user or of the installation takes
    /// precedence.
    public var defaultConsent: ConsentState?
    /// The store that several replicas share; nil if the installations are this process's alone.
    public var fleet: FleetConfiguration?
    /// Identity calls.
    public var identity = Identity()
    /// Sessions.
    public var sessions = Sessions()
    /// Events.
    public var events = Events()
    /// Installations on disk, or in a shared store.
    public var installations = Installations()
    /// The time limit of a shutdown without an explicit one.
    ///
    /// It applies at the end of ``withSignet(_:services:transport:observer:isolation:_:)``, and if a service group
    /// shuts down gracefully (trait `Server`). 30 s by default. A transport or a token provider that
    /// does not return when it is cancelled makes it longer.
    public var shutdownLimit: Duration = .seconds(30)
    /// True to write to the standard error, if the runtime has neither an observer nor a logger.
    ///
    /// One line at the start and one at the end, with what was delivered and what stays on disk; between them losses, damage and
    /// changes of the health, each kind at most once a minute with its count; see <doc:Failures>. A line holds codes and counts, no
    /// key, name, identity or value. A reader that is too slow misses lines, and delays nothing. True by default.
    public var reportsToStandardError = true
    /// The clocks; tests replace them.
    package var time: TimeSource = .system()
    /// A random number from 0 to 1 for the jitter of pauses; tests replace it.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// The receiver of the lines for the standard error; tests replace it.
    package var standardError: @Sendable (String) -> Void = StandardErrorOutput.write

    /// The source of session ids; tests replace it, because numbers derived from random ids differ in length.
    package var newSessionID: @Sendable () -> UUID = { UUID.random() }
    /// The system calls of the stores; tests inject faults here.
    package var disk = Disk()
    /// The place of work that waits for the disk; simulations decide the order of all steps.
    package var diskWork = DiskWork.ownThread
    /// Disk options of the journal; tests use small files.
    package var journal = Journal.Options()
    /// Disk options of the state log, beside ``disk``; tests use small files.
    package var stateLog = StateLog.Options()

    /// Makes a configuration with the defaults of a server; <doc:Settings> lists them.
    ///
    /// ``application(apiKey:secret:directory:)`` makes one for an app on a device.
    ///
    /// - Parameters:
    ///   - apiKey: The API key of the workspace's input.
    ///   - secret: The secret of the key.
    ///   - directory: The folder of the runtime's state.
    public init(apiKey: String, secret: Secret, directory: String) {
        self.apiKey = apiKey
        self.secret = secret
        self.directory = directory
    }

    /// The authentication of identity requests (IDSync HTTP API, authentication).
    public enum Authentication: Sendable, Hashable {
        /// A signature over method, date, path and body; the vendor recommends it.
        case signature
        /// Key and secret in the `Authorization` header.
        case basic
        /// The key alone, which must be switched on for the workspace; events still need the secret.
        case keyOnly
    }

    /// Identity calls.
    public struct Identity: Sendable {
        /// The time limit of one try of an identity request.
        ///
        /// 10 s by default, at least 1 s.
        public var requestTimeout: Duration = .seconds(10)
        /// The number of identity requests under way at once, over all installations.
        ///
        /// 64 by default, at least 1.
        public var maximumInFlight = 64
        /// The most identify requests within a second that the runtime sends by itself for visitors whose events wait for a user.
        ///
        /// It sends them after a failed identify, after an outage and after a start, oldest events first, whether the visitor returns
        /// or not. After a failure it begins with one request, then 1, 2, 4 a second and so on. Opens and calls are not limited.
        ///
        /// 50 by default, more than 0.
        public var automaticPerSecond = 50.0
        /// The automatic identify of an ``SignetRuntime/open(_:context:retry:deviceApplicationStamp:launchReferral:installType:)`` that
        /// names no policy.
        ///
        /// ``AtOpen/ifUnknown`` by default; ``AtOpen/oncePerProcess`` in an application.
        public var atOpen = AtOpen.ifUnknown

        /// Makes the defaults.
        public init() {}
    }

    /// Sessions.
    public struct Sessions: Sendable {
        /// The rule for the end of a visit.
        public enum Mode: Sendable, Hashable {
            /// A server without a background: a session ends after the timeout without events.
            case server
            /// An app: a session never ends in the foreground; in the background it ends after the timeout.
            ///
            /// Before the first ``Installation/enterBackground()``, its session does not time out.
            case application
        }

        /// The party that begins and ends sessions.
        public enum Tracking: Sendable, Hashable {
            /// Signet: at an event (in apps at open, at foreground, and at a custom or commerce event), and after the timeout.
            case automatic
            /// The app, with ``Installation/beginSession()`` and ``Installation/endSession()``; no session times out.
            ///
            /// In apps an open still begins one, and everywhere a custom or commerce event without a session, as in the
            /// vendors' SDKs, unless ``Sessions/beginsAtOpen`` and `Event.beginsSession` are false.
            case manual
        }

        /// The rule for the end of a visit.
        public var mode: Mode = .server
        /// The party that begins and ends sessions.
        public var tracking: Tracking = .automatic
        /// True if an open begins a session; false by default, true in an application.
        ///
        /// While it is false, an open logs no `session_start` and prolongs no session. A visitor's session begins with their
        /// first event, at its time, and ``SignetRuntime/sessionChanges()`` reports it then. A visitor who was only opened
        /// has no session, no event and nothing on disk; with a shared store they have a row, until retention removes it.
        ///
        /// With automatic tracking and reported launches, an install and an upgrade begin one regardless.
        public var beginsAtOpen = false
        /// The time without events after which a session ends; ``SignetRuntime/setSessionTimeout(_:)`` changes it
        /// later.
        ///
        /// 30 min by default and 60 s in an application; at least 1 s, no maximum.
        public var timeout: Duration = .seconds(1800)
        /// True to report launches, foreground and background changes and orderly ends to the platform.
        ///
        /// They are sent as `application_state_transition` (Events API v2), with `first_run` for the first launch. If
        /// nil, apps do and servers do not.
        public var reportsApplicationState: Bool?
        /// The kind of launches, for all installations of this runtime; an open can give that of its own launch.
        ///
        /// By default it is derived per launch from the version and build of ``SignetConfiguration/application``.
        public var installType: SignetConfiguration.Sessions.InstallType = .autodetect

        /// Makes the defaults.
        public init() {}
    }
}

extension BatchContext {
    /// Makes the context of the configuration.
    init(_ configuration: SignetConfiguration) {
        self.init(
            plan: configuration.events.dataPlan,
            environment: configuration.environment,
            application: configuration.application,
            device: configuration.device
        )
    }
}

extension SignetConfiguration {
    /// The time that events wait for others.
    var effectiveUploadInterval: Duration {
        self.events.uploadInterval ?? (self.environment == .production ? .seconds(600) : .seconds(10))
    }

    /// The authentication as the request builder's type.
    var wireAuthentication: SignetWire.Authentication {
        switch self.authentication {
        case .signature: .hmac
        case .basic: .basic
        case .keyOnly: .keyOnly
        }
    }
}
