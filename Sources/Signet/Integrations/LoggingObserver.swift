// SPDX-License-Identifier: Apache-2.0

#if LoggingSupport
public import Logging
public import SignetModel

/// Logs the runtime's reports with swift-log, with details as metadata.
///
/// Errors need attention; warnings resolve themselves, or report a loss by a stated rule. Requests are logged at
/// `debug`. Refused events are at `debug` too, because their caller knows. No key, identity or attribute value is
/// logged. Ids of installations are logged only if you enable it: in some apps they are cookies.
public struct LoggingObserver: SignetObserver {
    private let logger: Logger
    private let logsInstallations: Bool

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - logger: The logger to use.
    ///   - logsInstallations: True to log the ids of installations (`signet.installation`).
    public init(_ logger: Logger, logsInstallations: Bool = false) {
        self.logger = logger
        self.logsInstallations = logsInstallations
    }

    /// Logs at `debug`.
    public func requestFinished(_ report: RequestReport) {
        var metadata: Logger.Metadata = [
            "signet.endpoint": "\(report.endpoint)", "signet.duration": "\(report.duration)",
        ]
        if let status = report.status { metadata["http.status"] = "\(status)" }
        if let failure = report.failure { metadata["signet.error"] = "\(failure)" }
        self.logger.debug("A request has ended.", metadata: metadata)
    }

    /// Logs a warning.
    public func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {
        self.logger.warning("An automatic identify failed.", metadata: self.metadata(error, installation))
    }

    /// Logs at `debug`.
    public func eventRefused(installation: InstallationID, error: SignetError) {
        self.logger.debug("An event was refused.", metadata: self.metadata(error, installation))
    }

    /// Logs at `debug`.
    public func batchDelivered(events: Int, bytes: Int) {
        self.logger.debug(
            "A batch was delivered.",
            metadata: ["signet.events": "\(events)", "signet.bytes": "\(bytes)"]
        )
    }

    /// Logs an error.
    public func batchDeadLettered(events: Int, error: SignetError) {
        self.logger.error(
            "A batch was refused for good. It is a dead letter now.",
            metadata: self.metadata(error, adding: ["signet.events": "\(events)"])
        )
    }

    /// Logs a warning.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.logger.warning(
            "A batch waits for another try.",
            metadata: self.metadata(error, adding: ["signet.events": "\(events)", "signet.delay": "\(delay)"])
        )
    }

    /// Logs at `debug`.
    public func batchChanged(events: Int) {
        self.logger.debug("A batch was changed by onCreateBatch.", metadata: ["signet.events": "\(events)"])
    }

    /// Logs a warning.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        self.logger.warning(
            "Events were dropped.",
            metadata: ["signet.events": "\(count)", "signet.cause": "\(cause)"]
        )
    }

    /// Logs an error.
    public func corruptionDetected(_ description: String) {
        self.logger.error("Something on disk is damaged.", metadata: ["signet.damage": "\(description)"])
    }

    /// Logs an error.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.logger.error("A change of state could not be written.", metadata: self.metadata(error, installation))
    }

    /// Logs a warning.
    public func usersDropped(_ count: Int, installation: InstallationID) {
        self.logger.warning(
            "Users have left an installation whose row in the shared store was full.",
            metadata: self.metadata(nil, installation, adding: ["signet.count": "\(count)"])
        )
    }

    /// Logs a warning, or at `notice` once the clock is right again.
    public func clockOffsetChanged(_ offset: Duration?) {
        guard let offset else {
            self.logger.notice("The clock of this machine agrees with the shared store again.")
            return
        }
        self.logger.warning(
            "The clock of this machine differs from that of the shared store.",
            metadata: ["signet.clock_offset": "\(offset)"]
        )
    }

    /// Logs a warning.
    public func serviceDataDropped(
        _ count: Int,
        of kind: String,
        service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        cause: String?
    ) {
        var details: Logger.Metadata = [
            "signet.service": "\(service)", "signet.kind": "\(kind)", "signet.count": "\(count)",
        ]
        details["signet.cause"] = cause.map { "\($0)" }
        self.logger.warning(
            "Data that waited for a service was dropped.",
            metadata: self.metadata(nil, installation, adding: details)
        )
    }

    /// Logs a warning.
    public func servicePostponed(
        _ service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        until delay: Duration,
        error: SignetError
    ) {
        self.logger.warning(
            "A request to a service waits for another try.",
            metadata: self.metadata(
                error,
                installation,
                adding: ["signet.service": "\(service)", "signet.delay": "\(delay)"]
            )
        )
    }

    /// Logs a warning.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {
        self.logger.warning(
            "A service could not be notified of a login or logout.",
            metadata: self.metadata(error, installation, adding: ["signet.service": "\(service)"])
        )
    }

    /// Logs an error.
    public func erasureFailed(_ error: SignetError) {
        self.logger.error("The erasure of a user is not complete.", metadata: self.metadata(error))
    }

    /// Logs at `info`, or a warning if the shutdown is incomplete.
    public func runtimeEnded(_ report: ShutdownReport) {
        self.logger.log(
            level: report.isComplete ? .info : .warning,
            "The runtime has ended.",
            metadata: ["signet.events_left": "\(report.eventsLeft)", "signet.complete": "\(report.isComplete)"]
        )
    }

    private func metadata(
        _ error: SignetError?,
        _ installation: InstallationID? = nil,
        adding more: Logger.Metadata = [:]
    ) -> Logger.Metadata {
        var metadata = more
        if let error { metadata["signet.error"] = "\(error)" }
        if let installation, self.logsInstallations { metadata["signet.installation"] = "\(installation)" }
        return metadata
    }
}
#endif
