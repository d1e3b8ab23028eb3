// SPDX-License-Identifier: Apache-2.0

#if SIGNET_LOGGING
public import Logging
public import SignetModel

/// Logs the runtime's reports with swift-log, with details as metadata.
///
/// Errors need attention; warnings resolve themselves, or report a loss by a stated rule. Requests are logged at
/// `debug`. Refused events are at `debug` too, because their caller knows. No key, identity or attribute value is
/// logged. The names of the metadata are stable; ``SignetLogField/all`` is their table. Ids of installations are logged only if you enable it: in some apps they are cookies.
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
        var metadata = Self.fields([
            .endpoint: "\(report.endpoint)", .method: "\(report.method.rawValue)",
            .address: "\(report.serverAddress)", .template: "\(report.urlTemplate)",
            .duration: "\(report.duration.milliseconds)",
        ])
        if let status = report.status { metadata[SignetLogField.status.name] = "\(status)" }
        if let type = report.errorType { metadata[SignetLogField.errorType.name] = "\(type)" }
        if let failure = report.failure { metadata[SignetLogField.error.name] = "\(failure)" }
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
            metadata: Self.fields([.events: "\(events)", .bytes: "\(bytes)"])
        )
    }

    /// Logs an error.
    public func batchDeadLettered(events: Int, error: SignetError) {
        self.logger.error(
            "A batch was refused for good. It is a dead letter now.",
            metadata: self.metadata(error, adding: [.events: "\(events)"])
        )
    }

    /// Logs a warning.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.logger.warning(
            "A batch waits for another try.",
            metadata: self.metadata(error, adding: [.events: "\(events)", .delay: "\(delay.milliseconds)"])
        )
    }

    /// Logs at `debug`.
    public func batchChanged(events: Int) {
        self.logger.debug("A batch was changed by onCreateBatch.", metadata: Self.fields([.events: "\(events)"]))
    }

    /// Logs a warning.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        self.logger.warning(
            "Events were dropped.",
            metadata: Self.fields([.events: "\(count)", .cause: "\(cause)"])
        )
    }

    /// Logs an error.
    public func corruptionDetected(_ description: String) {
        self.logger.error(
            "Something could not be read or cleaned up.",
            metadata: Self.fields([.damage: "\(description)"])
        )
    }

    /// Logs an error.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.logger.error("A change of state could not be written.", metadata: self.metadata(error, installation))
    }

    /// Logs at `info`.
    public func installationsRemoved(_ count: Int) {
        self.logger.info("Installations were removed.", metadata: Self.fields([.count: "\(count)"]))
    }

    /// Logs an error; a warning if the store may only be slow or away for a while.
    public func sharedStoreFailed(_ error: SignetError) {
        let passes: Set<SignetError.Code> = [.storeUnreachable, .storeBusy, .outcomeUnknown]
        self.logger.log(
            level: passes.contains(error.code) ? .warning : .error,
            "A call to the shared store failed.",
            metadata: self.metadata(error)
        )
    }

    /// Logs a warning.
    public func usersDropped(_ count: Int, installation: InstallationID) {
        self.logger.warning(
            "Users have left an installation because the record of its users was full.",
            metadata: self.metadata(nil, installation, adding: [.count: "\(count)"])
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
            metadata: Self.fields([.offset: "\(offset.milliseconds)"])
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
        var details: [SignetLogField: Logger.MetadataValue] = [
            .service: "\(service)", .kind: "\(kind)", .count: "\(count)",
        ]
        details[.cause] = cause.map { "\($0)" }
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
                adding: [.service: "\(service)", .delay: "\(delay.milliseconds)"]
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
            metadata: self.metadata(error, installation, adding: [.service: "\(service)"])
        )
    }

    /// Logs a warning.
    public func dueWorkPostponed(kind: String, count: Int, until delay: Duration, error: SignetError) {
        self.logger.warning(
            "Work that the runtime owes waits for another try.",
            metadata: self.metadata(
                error,
                adding: [.kind: "\(kind)", .count: "\(count)", .delay: "\(delay.milliseconds)"]
            )
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
            metadata: Self.fields([
                .eventsDelivered: "\(report.eventsDelivered)", .eventsLeft: "\(report.eventsLeft)",
                .complete: "\(report.isComplete)",
            ])
        )
    }

    private func metadata(
        _ error: SignetError?,
        _ installation: InstallationID? = nil,
        adding more: [SignetLogField: Logger.MetadataValue] = [:]
    ) -> Logger.Metadata {
        var fields = more
        if let error { fields[.error] = "\(error)" }
        if let installation, self.logsInstallations { fields[.installation] = "\(installation)" }
        return Self.fields(fields)
    }

    /// The metadata of fields.
    private static func fields(_ fields: [SignetLogField: Logger.MetadataValue]) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        for (field, value) in fields { metadata[field.name] = value }
        return metadata
    }
}
#endif
