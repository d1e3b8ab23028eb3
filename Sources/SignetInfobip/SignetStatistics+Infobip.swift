// SPDX-License-Identifier: Apache-2.0

public import Signet

extension SignetStatistics {
    /// Saves of Infobip profiles that Infobip refused for good.
    ///
    /// See ``InfobipUpdate/Kind/failed(_:)``.
    public internal(set) var infobipChangesRefused: Int {
        get { self.serviceCounts["infobip.changes_refused", default: 0] }
        set { self.serviceCounts["infobip.changes_refused"] = newValue }
    }

    /// Changes of Infobip persons that were saved and then dropped; each field counts.
    ///
    /// They were of a person without a name, who left before they were sent; or too many people wait for their return.
    public internal(set) var infobipChangesDropped: Int {
        get { self.serviceCounts["infobip.changes_dropped", default: 0] }
        set { self.serviceCounts["infobip.changes_dropped"] = newValue }
    }

    /// Events of Infobip profiles that Infobip refused for good.
    ///
    /// Several that are refused together are sent in parts, so that only the bad ones are lost.
    public internal(set) var infobipEventsRefused: Int {
        get { self.serviceCounts["infobip.events_refused", default: 0] }
        set { self.serviceCounts["infobip.events_refused"] = newValue }
    }

    /// Events of Infobip profiles that were dropped before they were sent.
    ///
    /// They were of an application that was configured before, or of a person who was erased; or of one without a name,
    /// who left before they were sent; or too many people wait for their return.
    public internal(set) var infobipEventsDropped: Int {
        get { self.serviceCounts["infobip.events_dropped", default: 0] }
        set { self.serviceCounts["infobip.events_dropped"] = newValue }
    }
}
