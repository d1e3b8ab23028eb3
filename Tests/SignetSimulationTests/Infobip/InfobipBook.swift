// SPDX-License-Identifier: Apache-2.0

/// What apps have asked for, what has arrived, and what must be true of both.
struct InfobipBook: Sendable {
    /// An installation as the outside sees it.
    struct Owner: Sendable {
        /// Grows whenever it becomes somebody else's.
        var era = 0
        /// The era before those calls that are under way and may change it.
        var settledEra = 0
        /// How many such calls are under way.
        var shifts = 0
        /// When the last of them was made.
        var lastShift = 0
        /// The app cannot know whose it is: power was lost, a restart without memory, a remote log-out.
        var isAnybodys = false
        /// The same for what the service has of it, until the era ends.
        var isForgetful = false
        /// Power was lost, and whose it is was not told since.
        var hasLostPower = false
        var isOptedOut = false
        /// It has opted out or in at least once.
        var hasOptedOut = false
        /// The era before a personalize that nobody was told of.
        var unsureEra: Int?
        /// The first event since a forced personalize had no answer, and whose it is is not known.
        var doubtedEvent: Int?
        /// Its registration has ended in this era.
        var hasExpired = false
        /// The era in which something else than its own saves has made it the primary one last, or not.
        var primaryNews: Int?
        /// It has called itself the primary one, or not, in a way that is no edit.
        var hasSetPrimary = false
        /// The era in which its person has become part of another one.
        var joined: Int?
        /// How many requests are under way, of this process.
        var underWay = 0
        var process = 0
    }

    struct Event: Sendable {
        var aim: InfobipAim
        let era: Int
        /// It happened while somebody else was to come.
        let isBetween: Bool
        let moment: Duration
        var outcome = InfobipEdit.Outcome.open
        var isApplied = false
        var isRefused = false
        var excuse: String?
    }

    var people = ReferenceInfobip()
    var edits: [InfobipEdit] = []
    var events: [Event] = []
    var owners = [Owner](repeating: Owner(), count: InfobipSimulation.installationCount)
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
        _ fields: [(field: String, value: String?)],
        seen: Set<String>
    ) -> [Int] {
        let start = self.tick()
        var aim = self.aim(of: installation, seen: seen)
        let owner = self.owners[installation]
        if source != .personalize, owner.shifts > 0, owner.settledEra == owner.era {
            aim.eras = aim.eras.lowerBound...(owner.era + 1)
            aim.isOpen = true
        }
        return fields.map { field, value in
            var edit = InfobipEdit(
                number: self.edits.count,
                aim: aim,
                field: field,
                value: value,
                source: source,
                start: start
            )
            edit.isAfterPowerLoss = self.owners[installation].hasLostPower
            self.edits.append(edit)
            return edit.number
        }
    }

    /// The call has ended.
    mutating func end(_ numbers: [Int], _ outcome: InfobipEdit.Outcome, seen: Set<String>) {
        let end = self.tick()
        for number in numbers {
            self.edits[number].end = end
            self.edits[number].outcome = outcome
            self.edits[number].aim = self.ended(self.edits[number].aim, seen: seen)
        }
        for number in numbers { self.judge(number, outcome) }
    }

    /// Somebody does something that is to be told.
    mutating func beginEvent(
        on installation: Int,
        seen: Set<String>,
        seesSomebody: Bool,
        at moment: Duration
    ) -> Int {
        var aim = self.aim(of: installation, seen: seen)
        let owner = self.owners[installation]
        if owner.shifts > 0 {
            // Somebody else was asked for before it, and has not come yet: it is theirs, or, if they never come, of whoever
            // it was; whom the app still sees says nothing of it.
            aim.seen = []
            aim.eras = aim.eras.lowerBound...(owner.era + 1)
        }
        self.events.append(Event(aim: aim, era: owner.era, isBetween: owner.shifts > 0, moment: moment))
        // The platform has somebody else already, and only the app does not know.
        let isSurprise = owner.unsureEra != nil && seesSomebody
        let isNobody = !seesSomebody && !owner.isForgetful
        if owner.shifts == 0, isSurprise || self.people.isAnother(than: seen, isNobody: isNobody, at: installation) {
            self.excuseEvent(self.events.count - 1, "whose it is was not known")
        }
        return self.events.count - 1
    }

    mutating func endEvent(_ number: Int, _ outcome: InfobipEdit.Outcome, seen: Set<String>) {
        self.events[number].outcome = outcome
        let isBetween = self.events[number].isBetween
        self.events[number].aim = self.ended(self.events[number].aim, seen: isBetween ? [] : seen)
        guard outcome == .done, !self.events[number].isApplied else { return }
        self.fail("event \(number) is done and did not arrive")
    }

    private func aim(of installation: Int, seen: Set<String>) -> InfobipAim {
        let owner = self.owners[installation]
        let eras = min(owner.settledEra, owner.era)...owner.era
        return InfobipAim(installation: installation, seen: seen, eras: eras, isAnybodys: owner.isAnybodys)
    }

    private func ended(_ aim: InfobipAim, seen: Set<String>) -> InfobipAim {
        let owner = self.owners[aim.installation]
        var ended = aim
        ended.seen.formUnion(seen)
        ended.eras = aim.eras.lowerBound...max(aim.eras.upperBound, owner.era)
        ended.isAnybodys = aim.isAnybodys || owner.isAnybodys
        return ended
    }

    /// What an installation has asked for, and what it has to tell; or only what is left of it.
    ///
    /// What has arrived without its app having heard of it is sent again, and so is left.
    private mutating func eachAim(of installation: Int, isLeft: Bool, _ body: (inout InfobipAim) -> Void) {
        for number in self.edits.indices where self.edits[number].installation == installation {
            let isSettled = self.edits[number].isApplied && self.edits[number].outcome == .done
            if !isLeft || !isSettled { body(&self.edits[number].aim) }
        }
        for number in self.events.indices where self.events[number].aim.installation == installation {
            let isSettled = self.events[number].isApplied && self.events[number].outcome == .done
            if !isLeft || !isSettled { body(&self.events[number].aim) }
        }
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

    /// Somebody begins to make an installation another one's, or nobody's.
    mutating func beginShift(of installation: Int) {
        self.owners[installation].shifts += 1
        self.owners[installation].lastShift = self.tick()
    }

    /// The call has ended.
    ///
    /// - Parameters:
    ///   - installation: Which.
    ///   - isSure: Whether its app knows what became of it.
    ///   - unanswered: When the service was not heard, for a call that it had no answer to.
    mutating func endShift(of installation: Int, isSure: Bool, unanswered: Duration? = nil) {
        self.owners[installation].shifts -= 1
        if !isSure { self.joinEras(of: installation) }
        // What is told at the moment that a call ends without an answer comes before it or after it.
        for number in self.events.indices where self.events[number].moment == unanswered && unanswered != nil {
            guard self.events[number].aim.installation == installation, self.events[number].isBetween else { continue }
            self.excuseEvent(number, "while a call ended without an answer")
        }
        guard self.owners[installation].shifts == 0 else { return }
        self.owners[installation].settledEra = self.owners[installation].era
    }

    /// Nobody knows whether the last era has begun: what was of the one before may be of this one.
    mutating func joinEras(of installation: Int, isMeant: (ReferenceInfobip.Person) -> Bool = { _ in true }) {
        let era = self.owners[installation].era
        self.people.mark(.init(installation: installation, number: era), isMeant: isMeant)
        self.eachAim(of: installation, isLeft: false) { aim in
            if aim.eras.upperBound == era - 1 { aim.eras = aim.eras.lowerBound...era }
        }
    }

    private mutating func beginEra(of installation: Int) {
        self.owners[installation].unsureEra = nil
        self.owners[installation].doubtedEvent = nil
        self.owners[installation].era += 1
        self.owners[installation].isForgetful = false
    }

    /// An app makes its installation nobody's.
    mutating func beginDepersonalize(of installation: Int, isRegistered: Bool, isPending: Bool) {
        let isLost = !isRegistered || self.owners[installation].hasExpired
        // Whom the service has now is not found out any more, and what was told meanwhile is told of nobody.
        for number in (self.owners[installation].doubtedEvent ?? self.events.count)..<self.events.count
        where self.events[number].aim.installation == installation && !self.events[number].isApplied {
            self.excuseEvent(number, "told while nobody knew of whom")
        }
        self.beginShift(of: installation)
        self.beginEra(of: installation)
        // One that waits already is done for both: what happened between them is told of nobody, as it was asked for.
        let era = self.owners[installation].era
        for number in self.events.indices where isPending && self.events[number].isBetween {
            let aim = self.events[number].aim
            guard aim.installation == installation, !self.events[number].isApplied else { continue }
            self.events[number].aim.eras = aim.eras.lowerBound...max(aim.eras.upperBound, era)
        }
        for number in self.edits.indices where self.edits[number].installation == installation {
            guard !self.edits[number].isApplied else { continue }
            if self.edits[number].source == .installation, self.edits[number].isOfPerson {
                self.excuse(number, "depersonalized")
            }
            if isLost, self.edits[number].isOfPerson {
                self.excuse(number, "depersonalized without a registration")
            }
        }
        if isLost { self.excuseEvents(of: installation, "depersonalized without a registration") }
        // One answer may be for both calls.
        guard !isRegistered || isPending || self.owners[installation].shifts > 1 else { return }
        self.people.mark(.init(installation: installation, number: era)) { $0.externalUserID == nil }
    }

    mutating func excuse(_ number: Int, _ reason: String) {
        if self.edits[number].excuse == nil { self.edits[number].excuse = reason }
    }

    private mutating func excuseEvent(_ number: Int, _ reason: String) {
        self.events[number].excuse = self.events[number].excuse ?? reason
    }

    /// Events that are told of nobody else are dropped.
    mutating func excuseEvents(of installation: Int, before era: Int = .max, _ reason: String) {
        for number in self.events.indices where self.events[number].aim.installation == installation {
            guard self.events[number].era < era, !self.events[number].isApplied else { continue }
            self.excuseEvent(number, reason)
        }
    }

    mutating func excuseAll(of installation: Int, _ reason: String, _ isMeant: (InfobipEdit) -> Bool = { _ in true }) {
        for number in self.edits.indices where self.edits[number].installation == installation {
            if !self.edits[number].isApplied, isMeant(self.edits[number]) { self.excuse(number, reason) }
        }
    }

    // MARK: - Deaths

    /// The process of an installation has died.
    mutating func died(_ installation: Int, losesUser: Bool, losesPower: Bool) {
        for number in self.edits.indices where self.edits[number].installation == installation {
            // What has arrived may be forgotten, and be sent again.
            if losesPower { self.edits[number].aim.isAnybodys = true }
            if self.edits[number].outcome == .open {
                self.edits[number].outcome = .died
                self.edits[number].end = self.moment
            }
            guard !self.edits[number].isApplied else { continue }
            if losesPower { self.excuse(number, "power lost") }
            if losesUser, self.edits[number].source == .save { self.excuse(number, "not kept on disk") }
        }
        for number in self.events.indices where self.events[number].aim.installation == installation {
            if self.events[number].outcome == .open { self.events[number].outcome = .died }
            if losesPower {
                self.events[number].aim.isAnybodys = true
                self.events[number].excuse = "power lost"
            }
            if losesUser, !self.events[number].isApplied { self.events[number].excuse = "not kept on disk" }
        }
        if losesPower || losesUser { self.forget(installation) }
        if losesPower { self.owners[installation].hasLostPower = true }
        if self.owners[installation].shifts > 0 {
            self.doubt(installation)
            self.owners[installation].shifts = 1
            self.endShift(of: installation, isSure: false)
        }
        self.owners[installation].underWay = 0
        self.owners[installation].process += 1
    }

    /// An app cannot know any more whose its installation is.
    mutating func forget(_ installation: Int) {
        self.owners[installation].isAnybodys = true
        self.owners[installation].isForgetful = true
        self.eachAim(of: installation, isLeft: true) { $0.isAnybodys = true }
    }

    /// A forced personalize has had no answer, as its caller was told.
    mutating func endInDoubt(_ installation: Int) {
        self.doubt(installation)
        // It has happened, and that nobody hears of it was known before the caller heard so.
        guard self.owners[installation].unsureEra != nil else { return }
        for number in self.events.indices where self.events[number].aim.installation == installation {
            guard self.events[number].isBetween, !self.events[number].isApplied else { continue }
            self.excuseEvent(number, "whose it is was not known")
        }
    }

    private mutating func doubt(_ installation: Int) {
        self.owners[installation].doubtedEvent = self.owners[installation].doubtedEvent ?? self.events.count
    }

    /// It has been told.
    mutating func know(_ installation: Int) {
        self.owners[installation].isAnybodys = false
        self.owners[installation].doubtedEvent = nil
        self.owners[installation].hasLostPower = false
        self.owners[installation].unsureEra = nil
    }

    /// The platform has ended a registration.
    mutating func expire(_ registration: String) {
        guard let owner = self.people.registrations[registration]?.owner else { return }
        self.people.end(registration)
        self.owners[owner].hasExpired = true
        for number in self.edits.indices where self.edits[number].installation == owner {
            self.edits[number].isGone = self.edits[number].isGone || self.edits[number].hasArrived
        }
        let era = self.owners[owner].era
        // A farewell cannot be told to a registration that is gone.
        self.excuseAll(of: owner, "farewell of a lost registration") { $0.isOfPerson && $0.aim.eras.lowerBound < era }
        self.excuseEvents(of: owner, before: era, "farewell of a lost registration")
    }

    /// It is somebody else's: what the device had of its own until it was asked for goes.
    mutating func shift(of installation: Int) {
        let last = self.owners[installation].lastShift
        self.excuseAll(of: installation, "of the person before") {
            $0.source == .installation && $0.isOfPerson && $0.start < last
        }
        let before = self.owners[installation].era
        self.beginEra(of: installation)
        self.owners[installation].unsureEra = before
        if self.owners[installation].shifts == 0 {
            self.owners[installation].settledEra = self.owners[installation].era
        }
    }
}
