// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipVerdictTests {
    private static func verdict(
        _ status: Int,
        _ body: String = "",
        type: String? = "application/json;charset=utf-8",
        to route: InfobipRoute = .fetchUser("i"),
        retryAfter: String? = nil
    ) -> InfobipVerdict {
        var headers = HTTPHeaders()
        if let type {
            headers.append(name: "content-type", value: type)
        }
        if let retryAfter {
            headers.append(name: "Retry-After", value: retryAfter)
        }
        let response = TransportResponse(status: status, headers: headers, body: Array(body.utf8))
        return InfobipVerdict(response, to: route, now: 0)
    }

    private static func refusal(_ id: String) -> String {
        #"{"requestError":{"serviceException":{"messageId":"\#(id)","text":"why"}}}"#
    }

    private static func reason(_ verdict: InfobipVerdict) -> InfobipRefusal.Reason? {
        if case .refused(let refusal) = verdict { refusal.reason } else { nil }
    }

    @Test func anAnswerIsDataWhereDataWereAskedFor() {
        #expect(Self.verdict(200, "{}") == .data(Array("{}".utf8)))
        #expect(Self.verdict(200, "{}", type: nil) == .data(Array("{}".utf8)))
        #expect(Self.verdict(200, "{}", to: .updateUser("i")) == .done)
        #expect(Self.verdict(204, to: .updateUser("i")) == .done)
        #expect(Self.verdict(204, to: .depersonalize("i")) == .done)
    }

    @Test(arguments: [
        InfobipRoute.createInstallation, .fetchInstallation("i"), .fetchUser("i"),
        .personalize("i", InfobipRoute.PersonalizeOptions()),
    ])
    func nothingIsNoData(route: InfobipRoute) {
        #expect(Self.verdict(200, to: route) == .unusable(status: 200))
        #expect(Self.verdict(204, to: route) == .unusable(status: 204))
        #expect(Self.verdict(200, "null", to: route) == .unusable(status: 200))
        #expect(Self.verdict(200, "{", to: route) == .unusable(status: 200))
        #expect(Self.verdict(200, "{}", type: "text/html", to: route) == .unusable(status: 200))
    }

    @Test func thePageOfACaptivePortalIsNeverDone() {
        #expect(Self.verdict(200, "<html>", type: "text/html", to: .updateUser("i")) == .unusable(status: 200))
        #expect(Self.verdict(302, to: .updateUser("i")) == .unusable(status: 302))
    }

    @Test(arguments: InfobipRefusal.Reason.allCases)
    func aReasonHoldsWhateverTheStatus(reason: InfobipRefusal.Reason) {
        for status in [200, 400, 401, 403, 404, 409, 500] {
            #expect(Self.reason(Self.verdict(status, Self.refusal(reason.rawValue))) == reason)
        }
    }

    @Test(arguments: [("", "", false), ("C", "", true), ("", "why", true)])
    func onlyARefusalWithAReasonRefersToIt(messageID: String, text: String, hasReason: Bool) throws {
        let body = #"{"requestError":{"serviceException":{"messageId":"\#(messageID)","text":"\#(text)"}}}"#
        let error = try #require(SignetError(Self.verdict(400, body), of: .fetchUser("i")))
        #expect(error.code == .rejected)
        #expect(error.message.contains("See errors") == hasReason)
        #expect(error.errors.isEmpty != hasReason)
    }

    @Test func anUnknownReasonIsToldAndAFailureStaysOne() {
        guard case .refused(let refusal) = Self.verdict(400, Self.refusal("NEW_CODE")) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.reason == nil)
        #expect(refusal.error == PlatformError(code: "NEW_CODE", message: "why"))
        let said = PlatformError(code: "0", message: "why")
        let failed = InfobipVerdict.failed(status: 503, retryAfter: .seconds(3), said: said)
        #expect(Self.verdict(503, Self.refusal("0"), retryAfter: "3") == failed)
        let throttled = InfobipVerdict.throttled(retryAfter: .seconds(3), said: said)
        #expect(Self.verdict(429, Self.refusal("0"), retryAfter: "3") == throttled)
    }

    @Test func withoutAReasonTheStatusDecides() {
        #expect(Self.verdict(403, "null") == .unauthorized(status: 403))
        #expect(Self.verdict(401) == .unauthorized(status: 401))
        #expect(Self.verdict(404, "<html>") == .rejected(status: 404))
        #expect(Self.verdict(500) == .failed(status: 500, retryAfter: nil))
        // Both texts have to be there.
        let half = #"{"requestError":{"serviceException":{"messageId":"NO_REGISTRATION"}}}"#
        #expect(Self.verdict(400, half) == .rejected(status: 400))
    }

    @Test func theTableOfReactionsIsTheDocumentedOne() {
        let save = InfobipRoute.updateUser("i")
        let personalize = InfobipRoute.personalize("i", InfobipRoute.PersonalizeOptions())
        let table: [(InfobipRefusal.Reason, onSave: Bool, onPersonalize: Bool)] = [
            (.userMergeInterrupted, true, true), (.ambiguousPersonalizeCandidates, false, true),
            (.personalizationImpossible, false, false), (.userIdentityInvalid, false, false),
            (.phoneInvalid, false, false), (.emailInvalid, false, false), (.userDataRestricted, false, false),
            (.requestFormatInvalid, false, false), (.noRegistration, false, false),
            (.applicationCodeMissing, false, false), (.applicationCodeInvalid, false, false),
        ]
        #expect(table.count == InfobipRefusal.Reason.allCases.count)
        for (reason, onSave, onPersonalize) in table {
            #expect(reason.rollsBackIdentity(on: save) == onSave)
            #expect(reason.rollsBackIdentity(on: personalize) == onPersonalize)
            #expect(!reason.rollsBackIdentity(on: .fetchUser("i")))
        }
    }

    @Test func whatIsSaidOfAnotherRegistrationDoesNotEndOnesOwn() {
        func ends(_ route: InfobipRoute, _ id: String = "NO_REGISTRATION", own: String? = "own") -> Bool {
            guard case .refused(let refusal) = Self.verdict(400, Self.refusal(id)) else { return false }
            return refusal.endsRegistration(on: route, of: own)
        }
        #expect(ends(.fetchUser("own")))
        #expect(!ends(.depersonalize("other")))
        #expect(!ends(.updateInstallation("other")))
        #expect(!ends(.fetchUser("own"), "PHONE_INVALID"))
        #expect(!ends(.fetchUser("own"), own: nil))
    }
}
