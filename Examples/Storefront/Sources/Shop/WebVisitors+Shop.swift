// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import Logging
public import Signet
public import SignetWebVisitors

extension WebVisitors {
    /// The shop's visitors, whose cookies the keys of `VISITOR_KEYS` sign: base64 with commas between, newest first.
    ///
    /// `VISITOR_LIMIT` is the number of new visitors a second, ten times as many at once; otherwise 20.
    ///
    /// In the environment `development` the cookie goes over plain http, and keys are made if there are none: then each
    /// visitor is a new one after a restart.
    public static func shop(
        _ signet: SignetRuntime,
        _ environment: WorkspaceEnvironment,
        config: ConfigReader,
        logger: Logger
    ) throws -> WebVisitors {
        let isDevelopment = environment == .development
        let keys: VisitorKeys
        if let text = config.string(forKey: "visitor.keys", isSecret: true) {
            keys = try VisitorKeys(base64: Secret(text))
        } else if isDevelopment {
            logger.warning("VISITOR_KEYS is not set: after a restart each visitor will be a new one.")
            keys = .ofThisProcess()
        } else {
            keys = try VisitorKeys([])
        }
        var configuration = WebVisitorsConfiguration(keys: keys)
        if isDevelopment { configuration.cookie = .development }
        if config.string(forKey: "visitor.limit") != nil {
            // What is no number is an error, not the default.
            let perSecond = try config.requiredInt(forKey: "visitor.limit")
            let (burst, overflows) = perSecond.multipliedReportingOverflow(by: 10)
            configuration.limit = try VisitorLimit(perSecond: Double(perSecond), burst: overflows ? 0 : burst)
        }
        return WebVisitors(signet, configuration)
    }
}
