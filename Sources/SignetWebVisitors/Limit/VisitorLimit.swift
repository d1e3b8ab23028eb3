// SPDX-License-Identifier: Apache-2.0

/// A limit on new visitors, so that a client that drops its cookies does not fill the disk.
///
/// Such a client is a new visitor on each page. Beyond the limit, a request without a cookie opens nothing
/// and gets no cookie; the page is answered, and the visitor's next one tries again. Known visitors are never limited.
///
/// The limit is of one process.
public struct VisitorLimit: Sendable {
    /// The most buckets, one for each key; the clients beyond share one more.
    public static let maximumBuckets = 10_000

    /// The new visitors per second in the long run.
    public let perSecond: Double
    /// The new visitors at once after a quiet time.
    public let burst: Int
    let key: (@Sendable (VisitorRequest) -> String?)?

    /// Twenty new visitors per second, two hundred at once, for all clients together.
    public static let standard = VisitorLimit(checkedPerSecond: 20, burst: 200, key: nil)

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - perSecond: The new visitors per second in the long run; above 0.
    ///   - burst: The new visitors at once; at least 1.
    ///   - key: Names the client, and each name has a bucket of its own, such as an address that your proxy has written, or the
    ///     first 64 bits of one of IPv6. Nil, or a name of more than 256 bytes, is the bucket of all others. With no closure,
    ///     there is one bucket for all: one client that floods the server then keeps new visitors out.
    /// - Throws: `visitorRate`.
    public init(
        perSecond: Double,
        burst: Int,
        key: (@Sendable (VisitorRequest) -> String?)? = nil
    ) throws(WebVisitorsError) {
        guard perSecond > 0, perSecond.isFinite, burst >= 1 else {
            throw WebVisitorsError(
                .visitorRate,
                "The limit is \(perSecond) new visitors per second, \(burst) at once. Both must be above 0."
            )
        }
        self.init(checkedPerSecond: perSecond, burst: burst, key: key)
    }

    private init(checkedPerSecond: Double, burst: Int, key: (@Sendable (VisitorRequest) -> String?)?) {
        (self.perSecond, self.burst, self.key) = (checkedPerSecond, burst, key)
    }
}

/// The buckets of a limit, by the name of a client.
struct VisitorBuckets {
    private let limit: VisitorLimit
    private let maximum: Int
    private var shared: TokenBucket
    private var named: [String: TokenBucket] = [:]
    // The last look at all buckets: with many clients at once, there is none at each request.
    private var sweptAt: Duration?

    init(_ limit: VisitorLimit, at now: Duration, maximum: Int = VisitorLimit.maximumBuckets) {
        self.limit = limit
        self.maximum = maximum
        self.shared = TokenBucket(perSecond: limit.perSecond, capacity: limit.burst, at: now)
    }

    /// The number of buckets with a name.
    var count: Int {
        self.named.count
    }

    /// True if one more visitor may be made for a client.
    mutating func take(_ name: String?, at now: Duration) -> Bool {
        guard let name, name.utf8.count <= 256 else { return self.shared.take(at: now) }
        if let taken = self.named[name]?.take(at: now) { return taken }
        if self.named.count >= self.maximum { self.sweep(at: now) }
        guard self.named.count < self.maximum else { return self.shared.take(at: now) }
        var bucket = TokenBucket(perSecond: self.limit.perSecond, capacity: self.limit.burst, at: now)
        let taken = bucket.take(at: now)
        self.named[name] = bucket
        return taken
    }

    /// Forgets the full buckets, at most once a second: a new one is the same.
    private mutating func sweep(at now: Duration) {
        if let sweptAt, now - sweptAt < .seconds(1) { return }
        self.sweptAt = now
        for name in Array(self.named.keys) where self.named[name]?.isFull(at: now) == true {
            self.named[name] = nil
        }
    }
}
