// SPDX-License-Identifier: Apache-2.0

public import Signet

extension SignetStatistics {
    /// Saves of Infobip profiles, and batches of their events, that Infobip refused for good.
    ///
    /// See ``InfobipUpdate/Kind/failed(_:)``.
    public internal(set) var infobipChangesRefused: Int {
        get { self.serviceCounts["infobip.changes_refused", default: 0] }
        set { self.serviceCounts["infobip.changes_refused"] = newValue }
    }

    /// Changes of Infobip persons that were saved and then dropped; each field counts.
    ///
    /// The person was logged out from elsewhere, or the registration was lost, before the change was sent, and no other
    /// person may receive it.
    public internal(set) var infobipChangesDropped: Int {
        get { self.serviceCounts["infobip.changes_dropped", default: 0] }
        set { self.serviceCounts["infobip.changes_dropped"] = newValue }
    }

    /// Events of Infobip profiles that were dropped.
    ///
    /// Their installation has opted out, was erased, came from a backup or belongs to another application now; or their
    /// person has left and Infobip no longer accepts them.
    public internal(set) var infobipEventsDropped: Int {
        get { self.serviceCounts["infobip.events_dropped", default: 0] }
        set { self.serviceCounts["infobip.events_dropped"] = newValue }
    }
}
