// SPDX-License-Identifier: Apache-2.0

import SignetWebVisitors
import Testing

@Suite struct KnownBotsTests {
    private static func request(_ agent: String) -> VisitorRequest {
        VisitorRequest(method: "GET", path: "/", fields: [(name: "user-agent", value: agent)])
    }

    @Test(arguments: UserAgents.machinesOnceTakenForPeople) func aMonitorALibraryOrAPreviewIsAMachine(agent: String) {
        #expect(KnownBots.sends(Self.request(agent)))
    }

    @Test(arguments: UserAgents.machinesByName) func aMachineOfTheListIsOne(agent: String) {
        #expect(KnownBots.sends(Self.request(agent)))
    }

    @Test(arguments: UserAgents.machinesByForm) func aMachineThatNoListNamesIsToldByItsForm(agent: String) {
        #expect(KnownBots.sends(Self.request(agent)))
    }

    @Test(arguments: UserAgents.people) func aBrowserIsAPerson(agent: String) {
        #expect(!KnownBots.sends(Self.request(agent)))
    }

    @Test func theTablesAreAsLargeAsTheyWereMeantToBe() {
        #expect(UserAgents.machinesOnceTakenForPeople.count == 34)
        #expect(UserAgents.people.count >= 30)
    }

    @Test func eachWordMakesABrowserAMachineAndNoLongerWordDoes() {
        let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
        for word in KnownBots.words {
            for agent in ["\(browser) \(word)", "\(browser) \(word.uppercased())/2", "Mozilla/5.0 (\(word); X11)"] {
                #expect(KnownBots.sends(Self.request(agent)), "\(agent)")
            }
            #expect(!KnownBots.sends(Self.request("\(browser) z\(word)z/2")), "\(word)")
            #expect(!KnownBots.sends(Self.request("\(browser) \(word)9/2")), "\(word)")
        }
    }

    @Test func theEndOfALongAgentIsNotLookedAt() {
        let front = "Mozilla/5.0 (X11) " + String(repeating: "a", count: 600)
        #expect(!KnownBots.sends(Self.request("\(front) Googlebot/2.1")))
    }

    @Test func whoHasNoUserAgentIsABot() {
        let none: [(name: String, value: String)] = []
        #expect(KnownBots.sends(VisitorRequest(method: "GET", path: "/", fields: none)))
    }
}
