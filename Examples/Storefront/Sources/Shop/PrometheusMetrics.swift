// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
import Synchronization

/// A factory of metrics that Prometheus reads as text.
///
/// It is for an example that depends on little. In a service of yours, swift-prometheus or swift-otel has this place.
/// Names as swift-prometheus has them: a dot becomes `_`, and a timer is a histogram of seconds.
public final class PrometheusMetrics: MetricsFactory {
    private let families = Mutex<[String: Family]>([:])

    /// Makes a factory without metrics.
    public init() {}

    /// All metrics in the text format of Prometheus, version 0.0.4.
    public var text: String {
        let families = self.families.withLock { $0 }
        var lines: [String] = []
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) \(family.kind)")
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                lines += series.lines(name, labels)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Finds or makes a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series("counter", label, dimensions)
    }

    /// Finds or makes a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.series("gauge", label, dimensions)
    }

    /// Finds or makes a histogram, or a gauge that is not aggregated.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self.series(aggregate ? "histogram" : "gauge", label, dimensions)
    }

    /// Finds or makes a histogram of seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.series("histogram", label, dimensions)
    }

    /// Does nothing: a series lives as long as the process, as its values must not begin anew.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: a series lives as long as the process, as its values must not begin anew.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: a series lives as long as the process, as its values must not begin anew.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: a series lives as long as the process, as its values must not begin anew.
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of a name and labels, made once.
    private func series(_ kind: String, _ label: String, _ dimensions: [(String, String)]) -> Series {
        let name = Self.name(label)
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return self.families.withLock { families in
            if let known = families[name]?.series[labels] { return known }
            let series = Series(isHistogram: kind == "histogram")
            families[name, default: Family(kind: kind)].series[labels] = series
            return series
        }
    }

    private static func name(_ label: String) -> String {
        String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "_" })
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
    }
}

/// The series of one name.
private struct Family {
    let kind: String
    var series: [String: Series] = [:]
}

/// The values of one name with its labels.
private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private struct Values {
        var value = 0.0
        var count = 0
        var buckets: [Int]
    }

    /// The upper bounds of the buckets, in seconds (the advice of OpenTelemetry for durations of requests).
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    private let isHistogram: Bool
    private let values = Mutex(Values(buckets: Array(repeating: 0, count: Series.bounds.count)))

    init(isHistogram: Bool) {
        self.isHistogram = isHistogram
    }

    func increment(by amount: Int64) { self.add(Double(amount)) }
    func increment(by amount: Double) { self.add(amount) }
    func decrement(by amount: Double) { self.add(-amount) }
    func reset() { self.set(0.0) }
    func set(_ value: Int64) { self.set(Double(value)) }
    func set(_ value: Double) { self.values.withLock { $0.value = value } }
    func record(_ value: Int64) { self.record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1_000_000_000) }

    func record(_ value: Double) {
        guard self.isHistogram else { return self.set(value) }
        self.values.withLock { values in
            values.value += value
            values.count += 1
            for (index, bound) in Self.bounds.enumerated() where value <= bound { values.buckets[index] += 1 }
        }
    }

    private func add(_ amount: Double) {
        self.values.withLock { $0.value += amount }
    }

    func lines(_ name: String, _ labels: String) -> [String] {
        let values = self.values.withLock { $0 }
        let all = labels.isEmpty ? "" : "{\(labels)}"
        guard self.isHistogram else { return ["\(name)\(all) \(values.value)"] }
        let before = labels.isEmpty ? "" : labels + ","
        var lines = zip(Self.bounds, values.buckets).map { "\(name)_bucket{\(before)le=\"\($0)\"} \($1)" }
        lines.append("\(name)_bucket{\(before)le=\"+Inf\"} \(values.count)")
        return lines + ["\(name)_sum\(all) \(values.value)", "\(name)_count\(all) \(values.count)"]
    }
}
