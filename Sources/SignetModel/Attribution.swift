// SPDX-License-Identifier: Apache-2.0

/// The source that brought the user to the app (Events API v2, `attribution_info`).
///
/// It belongs to a batch. The Events API names the event type `pre_attribution` but has no schema for it, and a batch
/// with one would not be valid.
public struct Attribution: Sendable, Hashable {
    /// The service that measured the attribution.
    public var serviceProvider: String
    /// The publisher that the user came from.
    public var publisher: String
    /// The name of the campaign.
    public var campaign: String

    /// Makes an attribution; the Events API requires all three values.
    public init(serviceProvider: String, publisher: String, campaign: String) {
        self.serviceProvider = serviceProvider
        self.publisher = publisher
        self.campaign = campaign
    }
}
