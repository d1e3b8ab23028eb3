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
package struct Attribution: Sendable, Hashable {
    /// Who measured it.
    package var serviceProvider: String
    /// Where the user came from.
    package var publisher: String
    /// By which campaign.
    package var campaign: String

    package init(serviceProvider: String, publisher: String, campaign: String) {
        self.serviceProvider = serviceProvider
        self.publisher = publisher
        self.campaign = campaign
    }
}
