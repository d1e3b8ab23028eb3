//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Event {
    /// Options out of line: an event is made, copied and passed on a million times a second, and hardly one has any.
    package indirect enum BoxedOptions: Sendable, Hashable {
        case options(EventOptions)
    }

    /// What only few events have.
    package var options: EventOptions {
        get {
            guard case .options(let options) = self.boxedOptions else { return .none }
            return options
        }
        set {
            // Options that are set back make the event what it was.
            self.boxedOptions = newValue == .none ? nil : .options(newValue)
        }
    }

    /// Texts for the receivers of the event that are no attributes; custom, screen and commerce events can have them.
    public var customFlags: [String: String] {
        get { self.options.customFlags }
        set { self.options.customFlags = newValue }
    }

    /// What kind of thing it was; travels as the attribute `$Category`.
    public var category: String? {
        get { self.options.category }
        set { self.options.category = newValue }
    }

    /// Where it happened.
    public var location: Location? {
        get { self.options.location }
        set { self.options.location = newValue }
    }

    /// By how much it changes what the user is worth.
    public var lifetimeValueChange: LifetimeValueChange? {
        get { self.options.lifetimeValueChange }
        set { self.options.lifetimeValueChange = newValue }
    }

    /// Whether it begins a session where there is none; true unless said otherwise.
    ///
    /// In apps, and where the app begins and ends sessions itself, only custom and commerce events do.
    public var beginsSession: Bool {
        get { self.boxedOptions == nil || self.options.beginsSession }
        set { self.options.beginsSession = newValue }
    }

    /// Whether it is delivered; one that is not counts for its session only.
    ///
    /// True unless said otherwise.
    public var isUploaded: Bool {
        get { self.boxedOptions == nil || self.options.isUploaded }
        set { self.options.isUploaded = newValue }
    }

    /// When it began and how long it took.
    package var timing: Timing? {
        get { self.boxedOptions == nil ? nil : self.options.timing }
        set { self.options.timing = newValue }
    }
}
