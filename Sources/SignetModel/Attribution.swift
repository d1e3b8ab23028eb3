//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What brought the user to the app (Events API v2, `attribution_info`).
///
/// It belongs to a batch: the event type `pre_attribution` is named by the Events API, but has no schema there, and a batch
/// with one would not be valid.
public struct Attribution: Sendable, Hashable {
    /// Who measured it.
    public var serviceProvider: String
    /// Where the user came from.
    public var publisher: String
    /// By which campaign.
    public var campaign: String

    /// Makes a value; the Events API requires all three.
    public init(serviceProvider: String, publisher: String, campaign: String) {
        self.serviceProvider = serviceProvider
        self.publisher = publisher
        self.campaign = campaign
    }
}
