// SPDX-License-Identifier: Apache-2.0

extension Event {
    /// Options out of line: events are made, copied and passed on a million times a second, and few have options.
    package indirect enum BoxedOptions: Sendable, Hashable {
        case options(EventOptions)
    }

    /// The options, which few events have.
    package var options: EventOptions {
        get {
            guard case .options(let options) = self.boxedOptions else { return .none }
            return options
        }
        set {
            // Default options are not stored, so the event equals one that never had any.
            self.boxedOptions = newValue == .none ? nil : .options(newValue)
        }
    }

    /// Texts for the receivers of the event, apart from its attributes; for custom, screen and commerce events.
    public var customFlags: [String: String] {
        get { self.options.customFlags }
        set { self.options.customFlags = newValue }
    }

    /// The category of the event; sent as the attribute `$Category`.
    public var category: String? {
        get { self.options.category }
        set { self.options.category = newValue }
    }

    /// The place of the event.
    public var location: Location? {
        get { self.options.location }
        set { self.options.location = newValue }
    }

    /// The change of the user's lifetime value.
    public var lifetimeValueChange: LifetimeValueChange? {
        get { self.options.lifetimeValueChange }
        set { self.options.lifetimeValueChange = newValue }
    }

    /// True when the event begins a session if there is none; the default is true.
    ///
    /// In apps, and where the app begins and ends sessions itself, only custom and commerce events do so.
    public var beginsSession: Bool {
        get { self.boxedOptions == nil || self.options.beginsSession }
        set { self.options.beginsSession = newValue }
    }

    /// True when the event is delivered; false keeps it local, where it counts for its session only.
    ///
    /// The default is true.
    public var isUploaded: Bool {
        get { self.boxedOptions == nil || self.options.isUploaded }
        set { self.options.isUploaded = newValue }
    }

    /// The start and the duration of the event.
    package var timing: Timing? {
        get { self.boxedOptions == nil ? nil : self.options.timing }
        set { self.options.timing = newValue }
    }
}
