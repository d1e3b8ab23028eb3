// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// One entry of a list of faults: the fault, the route and the number of requests.
///
/// Example: `{"fault": "status", "status": 503, "retryAfter": 2, "route": "identify", "times": 3}`. Without `route` it applies
/// to any request, without `times` to all of them until the faults are cleared. With `"share": 0.05` in place of `times`
/// it applies to 5 % of them, drawn at random. Entries with a share add up.
struct FaultEntry: Sendable {
    /// The faults that have a name; it excludes those that only a program can script.
    static let faults = [
        "status", "delay", "timeout", "connectionRefused", "replyLost", "garbage", "hugeAnswer", "truncated",
    ]

    let name: String
    let fault: FaultInjector.Fault
    let route: EmulatorRoute?
    /// The number of requests; nil is unlimited.
    let times: Int?
    /// The share of the requests, above 0 and at most 1; nil is each of them.
    let share: Double?

    init(_ value: JSONValue) throws(PageRefusal) {
        guard let object = value.object else { throw PageRefusal("An entry must be an object with a 'fault'.") }
        let known = ["fault", "status", "retryAfter", "seconds", "body", "route", "times", "share"]
        for key in object.keys where !known.contains(key) {
            throw PageRefusal("An entry has no member '\(key)'; it may have \(known).")
        }
        guard let name = object["fault"]?.string, Self.faults.contains(name) else {
            throw PageRefusal("'fault' must be one of \(Self.faults).")
        }
        self.name = name
        self.fault = try Self.fault(name, object)
        switch object["route"] {
        case nil, .null: self.route = nil
        case let text:
            guard let route = text?.string.flatMap(EmulatorRoute.init(rawValue:)) else {
                throw PageRefusal("'route' must be one of \(EmulatorRoute.allCases.map(\.rawValue)).")
            }
            self.route = route
        }
        switch object["times"] {
        case nil, .null: self.times = nil
        case let number:
            guard let times = number?.number?.int64, (1...1_000_000).contains(times) else {
                throw PageRefusal("'times' must be a whole number from 1 to 1000000.")
            }
            self.times = Int(times)
        }
        switch object["share"] {
        case nil, .null: self.share = nil
        case let number:
            guard let share = number?.number?.double, share > 0, share <= 1, self.times == nil else {
                throw PageRefusal("'share' must be a number above 0 and at most 1, in an entry without 'times'.")
            }
            self.share = share
        }
    }

    /// Reads the entries of a document, which is an array.
    static func list(_ json: [UInt8]) throws(PageRefusal) -> [FaultEntry] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(json)
        } catch {
            throw PageRefusal("The list of faults is not valid JSON: \(error)")
        }
        let marks = EmulatorLimits().combiningMarks
        guard !CombiningMarks.exceed(marks, in: value) else {
            throw PageRefusal("The list of faults has more than \(marks) combining marks in a row. Remove some.")
        }
        guard let elements = value.array else { throw PageRefusal("The list of faults must be an array of entries.") }
        var entries: [FaultEntry] = []
        for element in elements { entries.append(try FaultEntry(element)) }
        return entries
    }

    /// Returns an active fault as an entry with its number; one that only a program can script has the name `scripted`.
    static func json(_ active: FaultInjector.Entry) -> JSONValue {
        var entry: JSONObject =
            switch active.fault {
            case .status(let status, let retryAfter):
                Self.status(status, retryAfter: retryAfter)
            case .delay(let duration): ["fault": "delay", "seconds": Self.seconds(duration)]
            case .timeout: ["fault": "timeout"]
            case .connectionRefused: ["fault": "connectionRefused"]
            case .replyLost: ["fault": "replyLost"]
            case .hugeAnswer: ["fault": "hugeAnswer"]
            case .truncated: ["fault": "truncated"]
            case .garbage(let body): ["fault": "garbage", "body": .string(String(decoding: body, as: UTF8.self))]
            case .refused(let status, _, _): ["fault": "scripted", "status": .number(JSONNumber(Int64(status)))]
            case .held, .replyHeld, .answer, .failure: ["fault": "scripted"]
            }
        entry["number"] = .number(JSONNumber(Int64(active.number)))
        if let route = active.route { entry["route"] = .string(route.rawValue) }
        switch active.extent {
        case .all: break
        case .next(let times): entry["times"] = .number(JSONNumber(Int64(times)))
        case .share(let share): entry["share"] = JSONNumber(share).map(JSONValue.number) ?? .null
        }
        return .object(entry)
    }

    private static func status(_ status: Int, retryAfter: Duration?) -> JSONObject {
        var entry: JSONObject = ["fault": "status", "status": .number(JSONNumber(Int64(status)))]
        if let retryAfter { entry["retryAfter"] = Self.seconds(retryAfter) }
        return entry
    }

    private static func seconds(_ duration: Duration) -> JSONValue {
        JSONNumber(duration / .seconds(1)).map(JSONValue.number) ?? .null
    }

    private static func fault(_ name: String, _ object: JSONObject) throws(PageRefusal) -> FaultInjector.Fault {
        switch name {
        case "status":
            guard let status = object["status"]?.number?.int64, (200...599).contains(status) else {
                throw PageRefusal("'status' must be a whole number from 200 to 599.")
            }
            let retryAfter = try object["retryAfter"].map { value throws(PageRefusal) in try Self.duration(value) }
            return .status(Int(status), retryAfter: retryAfter)
        case "delay":
            guard let seconds = object["seconds"] else { throw PageRefusal("A delay needs 'seconds'.") }
            return .delay(try Self.duration(seconds))
        case "timeout": return .timeout
        case "connectionRefused": return .connectionRefused
        case "replyLost": return .replyLost
        case "hugeAnswer": return .hugeAnswer
        case "truncated": return .truncated
        default: return .garbage(Array((object["body"]?.string ?? "<html>not JSON</html>").utf8))
        }
    }

    private static func duration(_ value: JSONValue) throws(PageRefusal) -> Duration {
        guard let seconds = value.number?.double, (0...86400).contains(seconds) else {
            throw PageRefusal("Seconds must be a number from 0 to 86400.")
        }
        return .milliseconds(Int64(seconds * 1000))
    }
}
#endif
