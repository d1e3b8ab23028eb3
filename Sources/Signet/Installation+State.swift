// SPDX-License-Identifier: Apache-2.0

public import SignetModel

// Device identities, attribution and attributes for integrations, which the app sets. Persisted before the call returns; works without `run()`.
extension Installation {
    /// Sets an identity of the device, such as an advertising id or the push token; requests carry it from now on.
    ///
    /// A changed push token is sent to the platform immediately if there is a user (IDSync HTTP API, modify), and again
    /// after a failure: after 5, 15, 60, 120, then 300 s, and at the next open after a restart. The last successful call
    /// counts, this one or a request with device identities; a request that fails changes nothing.
    ///
    /// - Parameters:
    ///   - value: The value; nil removes it.
    ///   - type: A device identity other than the device application stamp.
    /// - Throws: `invalidArgument`, `closed`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    ///   After an error nothing was changed.
    public func setDeviceIdentity(_ value: String?, for type: IdentityType) async throws(SignetError) {
        try IdentityRequest.validate(device: value, of: type)
        try await self.core.changeState { $0.setDeviceIdentity(value, for: type) }
        await self.core.beginPushTokenCall()
    }

    /// Sets the attribution of the installation: the campaign that brought its users to the app.
    ///
    /// Every batch that is made from now on carries it (Events API v2, `attribution_info`), also after a restart.
    ///
    /// - Parameter attribution: The attribution; nil removes it.
    /// - Throws: `invalidArgument` for a text that is empty or longer than 256 characters, `closed`, `diskFull`,
    ///   `diskFailed`, `notRunning` after the end of the runtime. After an error nothing was changed.
    public func setAttribution(_ attribution: Attribution?) async throws(SignetError) {
        try attribution?.validate()
        try await self.core.changeState { $0.setAttribution(attribution) }
    }

    /// Sets the attributes for an integration of the platform, such as a partner's id of the device or the user.
    ///
    /// Every batch of the installation that is made from now on carries those of all integrations (Events API v2,
    /// `integration_attributes`), for each of its users and also after a restart. They replace the previous attributes of
    /// the integration. ``SignetRuntime/eraseUser(_:within:)`` removes them as it does device identities.
    ///
    /// - Parameters:
    ///   - attributes: The attributes; an empty dictionary removes those of the integration. Keys have 1 to 256
    ///     characters and are sent as they are written, values up to 4096, and all integrations together at most 4 KiB of JSON.
    ///   - integration: The integration's id in the platform's directory, above 0; the vendor's SDKs call it kit code.
    /// - Throws: `invalidArgument`, `closed`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    ///   After an error nothing was changed.
    public func setIntegrationAttributes(
        _ attributes: [String: String],
        ofIntegration integration: Int
    ) async throws(SignetError) {
        try await self.core.changeState { machine throws(SignetError) in
            try machine.setIntegrationAttributes(attributes, ofIntegration: integration)
        }
    }

    /// The attributes for integrations of the platform, by the integration's id.
    public var integrationAttributes: [Int: [String: String]] {
        self.core.identityState.integrations.values
    }
}
