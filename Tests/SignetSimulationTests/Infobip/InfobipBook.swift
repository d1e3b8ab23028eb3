// SPDX-License-Identifier: Apache-2.0

/// What apps have asked for, what has arrived, and what must be true of both.
///
/// Each value and each event belongs to a scope: the time between two calls that make an installation another one's. It
/// checks scope and order, not whose value a person happens to have: two devices of one phone number are no alarm.
struct InfobipBook: Sendable {
    /// The time of an installation between a depersonalize or a forced personalize and the next one.
    struct Scope: Sendable {
        /// The people whom the app has named in it, and those whose phones and addresses it has used.
        var names: Set<String> = []
        /// What the device can know its person by: external ids that were asked for or answered; without one, the phones
        /// and addresses of a personalize.
        var keys: Set<String> = []
        /// The phones and addresses by which the app has said who it is, without an external id: it means whoever has them
        /// at the platform, and that may be another one by the time that what waited under them is sent.
        var contacts: Set<String> = []
        /// Nobody can say whose it is: power was lost, or a restart has no memory, or another device has logged it out.
        var isVague = false
        /// What waits in it may wait for its person's return, or be dropped: nothing need arrive.
        var isLossy = false
    }

    /// An installation as the outside sees it.
    struct Owner: Sendable {
        var scopes = [Scope()]
        /// How many calls that open a scope are under way.
        var shifts = 0
        /// Power was lost, and it has named no registration since: its disk may not know that the platform knows it.
        var isForgotten = false
        /// The time at which an opt-out has returned, if no opt-in has begun since: nothing may be sent after it.
        var optedOutAt: Duration?
        /// How many opt-outs and opt-ins have begun.
        var choices = 0
        /// It has opted out or in at least once.
        var hasOptedOut = false
        /// The scope in which something else than its own saves has made it the primary one last, or not.
        var primaryNews: Int?
        /// It has called itself the primary one, or not, in a way that is no edit.
        var hasSetPrimary = false
        /// The scope in which its person has become part of another one.
        var joined: Int?
        /// The scope of the request that went out last; nil where a call that opens a scope is under way, and the request
        /// may be of the one before.
        var asks: Int?
        /// How many requests are under way, of this process.
        var underWay = 0
        var process = 0

        var current: Int { self.scopes.count - 1 }
    }

    struct Event: Sendable {
        let installation: Int
        var scope: Int
        var outcome = InfobipEdit.Outcome.open
        var isApplied = false
        var isRefused = false
        var excuse: String?
    }

    var people = ReferenceInfobip()
    var edits: [InfobipEdit] = []
    var events: [Event] = []
    var owners = [Owner](repeating: Owner(), count: InfobipSimulation.most)
    /// Installations by the names that they give themselves.
    var names: [String: Int] = [:]
    var reached: [String: Int] = [:]
    var violations: [String] = []
    /// Everything has been looked at; what is still told is that the runtime ends.
    var isOver = false
    /// How many requests there were.
    var requests = 0
    /// A disk has been bad: calls may have failed for it.
    var hasBadDisk = false
    private var moment = 0

    mutating func reach(_ what: String, _ count: Int = 1) {
        self.reached[what, default: 0] += count
    }

    mutating func fail(_ text: String) {
        guard !self.isOver else { return }
        self.violations.append(text)
    }

    private mutating func tick() -> Int {
        self.moment += 1
        return self.moment
    }

    // MARK: - Calls

    /// Somebody begins to ask for values.
    mutating func begin(
        on installation: Int,
        _ source: InfobipEdit.Source,
        _ fields: [(field: String, value: String?)]
    ) -> [Int] {
        let start = self.tick()
        let scope = self.owners[installation].current
        for (field, value) in fields where field != "externalUserId" || source == .personalize {
            for persona in InfobipPersona.allCases where value.map({ persona.isNamed(by: $0) }) ?? false {
                self.owners[installation].scopes[scope].names.insert(persona.externalUserID)
            }
        }
        if source == .personalize {
            self.owners[installation].scopes[scope].keys.insert(Self.key(of: fields))
            if !fields.contains(where: { $0.field == "externalUserId" }) {
                let contacts = fields.filter { ["phones", "emails"].contains($0.field) }.compactMap(\.value)
                self.owners[installation].scopes[scope].contacts.formUnion(contacts)
            }
        }
        return fields.map { field, value in
            let edit = InfobipEdit(
                number: self.edits.count,
                installation: installation,
                scope: scope,
                field: field,
                value: value,
                source: source,
                start: start
            )
            self.edits.append(edit)
            return edit.number
        }
    }

    /// The key of an identity: the external id alone, if there is one.
    private static func key(of fields: [(field: String, value: String?)]) -> String {
        let values = Dictionary(fields.map { ($0.field, $0.value ?? "") }) { $1 }
        return values["externalUserId"] ?? "\(values["phones"] ?? "") \(values["emails"] ?? "")"
    }

    /// Whether the device can know that two edits are of one person: it may be known here by its external id, and there by
    /// its phone.
    func isOfOnePerson(_ edit: InfobipEdit, _ other: InfobipEdit) -> Bool {
        let scopes = self.owners[edit.installation].scopes
        return edit.scope == other.scope || !scopes[edit.scope].keys.isDisjoint(with: scopes[other.scope].keys)
    }

    /// The call has ended.
    mutating func end(_ numbers: [Int], _ outcome: InfobipEdit.Outcome) {
        let end = self.tick()
        for number in numbers {
            self.edits[number].end = end
            self.edits[number].outcome = outcome
        }
        for number in numbers { self.judge(number, outcome) }
    }

    private mutating func judge(_ number: Int, _ outcome: InfobipEdit.Outcome) {
        let edit = self.edits[number]
        switch outcome {
        case .done where self.isMissing(number):
            self.fail("\(edit.source) \(number) of \(edit.field) was said to be done, and has not arrived")
        case .refused
        where !edit.isRefused && !edit.isApplied && !edit.isAccepted && edit.isTagged && edit.source != .personalize:
            if self.reasonToMiss(number) == nil {
                self.fail("\(edit.source) \(number) of \(edit.field) was said to be refused, and was not")
            }
        case .failed where edit.isApplied && edit.isTagged && edit.source == .save:
            self.fail("save \(number) of \(edit.field) threw \(outcome), and has arrived")
        default:
            break
        }
    }

    /// Somebody does something that is to be told.
    mutating func beginEvent(on installation: Int) -> Int {
        self.events.append(Event(installation: installation, scope: self.owners[installation].current))
        return self.events.count - 1
    }

    mutating func endEvent(_ number: Int, _ outcome: InfobipEdit.Outcome) {
        self.events[number].outcome = outcome
        guard outcome == .done, !self.events[number].isApplied else { return }
        self.fail("event \(number) is done and did not arrive")
    }

    /// Somebody makes an installation another one's, or nobody's.
    mutating func beginShift(of installation: Int) {
        self.owners[installation].shifts += 1
        // A depersonalize of a device that was never registered, as far as its disk knows, is done at once: there is nobody to
        // leave. The platform may know another story, and names somebody by the same push token.
        let isVague = self.owners[installation].isForgotten
        self.owners[installation].scopes.append(Scope(isVague: isVague))
    }

    /// The call has ended.
    ///
    /// Where its caller saw it fail, nothing has changed, or nobody is there: what is asked for since may be of either.
    mutating func endShift(of installation: Int, isSure: Bool) {
        self.owners[installation].shifts -= 1
        guard !isSure else { return }
        let current = self.owners[installation].current
        var (names, keys, contacts): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        for index in max(0, current - 1)...current {
            names.formUnion(self.owners[installation].scopes[index].names)
            keys.formUnion(self.owners[installation].scopes[index].keys)
            contacts.formUnion(self.owners[installation].scopes[index].contacts)
            self.owners[installation].scopes[index].isLossy = true
        }
        self.owners[installation].scopes[current].names = names
        self.owners[installation].scopes[current].keys = keys
        self.owners[installation].scopes[current].contacts = contacts
        for number in self.edits.indices where self.edits[number].installation == installation {
            if self.edits[number].scope == current - 1 { self.edits[number].scope = current }
        }
        for number in self.events.indices where self.events[number].installation == installation {
            if self.events[number].scope == current - 1 { self.events[number].scope = current }
        }
        if current > 0, self.owners[installation].scopes[current - 1].isVague {
            self.owners[installation].scopes[current].isVague = true
        }
    }

    /// Nothing that waits on an installation need arrive.
    mutating func lose(_ installation: Int, isVague: Bool = false) {
        let current = self.owners[installation].current
        self.owners[installation].scopes[current].isLossy = true
        if isVague {
            // What waits for somebody's return may be of whoever comes by that name.
            for index in self.owners[installation].scopes.indices {
                self.owners[installation].scopes[index].isVague = true
            }
        }
    }

    mutating func excuse(_ number: Int, _ reason: String) {
        if self.edits[number].excuse == nil { self.edits[number].excuse = reason }
    }

    mutating func excuseAll(of installation: Int, _ reason: String, _ isMeant: (InfobipEdit) -> Bool = { _ in true }) {
        for number in self.edits.indices where self.edits[number].installation == installation {
            if !self.edits[number].isApplied, isMeant(self.edits[number]) { self.excuse(number, reason) }
        }
    }

    mutating func excuseEvents(of installation: Int, _ reason: String) {
        for number in self.events.indices where self.events[number].installation == installation {
            if !self.events[number].isApplied, self.events[number].excuse == nil { self.events[number].excuse = reason }
        }
    }

    // MARK: - Deaths

    /// The process of an installation has died.
    mutating func died(_ installation: Int, losesUser: Bool, losesPower: Bool) {
        for number in self.edits.indices where self.edits[number].installation == installation {
            if self.edits[number].outcome == .open {
                self.edits[number].outcome = .died
                self.edits[number].end = self.moment
            }
            if losesPower { self.edits[number].isAfterPowerLoss = true }
        }
        for number in self.events.indices where self.events[number].installation == installation {
            if self.events[number].outcome == .open { self.events[number].outcome = .died }
        }
        if losesPower {
            self.owners[installation].isForgotten = true
            self.owners[installation].optedOutAt = nil
            self.excuseAll(of: installation, "power lost")
        }
        if losesUser { self.excuseAll(of: installation, "not kept on disk") { $0.source == .save } }
        if losesPower || losesUser {
            self.excuseEvents(of: installation, "lost with the process")
            self.lose(installation, isVague: true)
        }
        while self.owners[installation].shifts > 0 { self.endShift(of: installation, isSure: false) }
        self.owners[installation].underWay = 0
        self.owners[installation].process += 1
    }

    /// The platform has ended a registration.
    mutating func expire(_ registration: String) {
        self.people.end(registration)
    }
}
