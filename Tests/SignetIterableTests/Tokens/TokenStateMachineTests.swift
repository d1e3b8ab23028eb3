// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import SignetIterable

/// Every state of a user's token against everything that can happen to it.
@Suite struct TokenStateMachineTests {
    @Test func theTableHasEveryCell() {
        #expect(TokenTable.rows.count == TokenTable.Stage.allCases.count * TokenTable.Event.allCases.count)
        #expect(Set(TokenTable.rows.map(\.testDescription)).count == TokenTable.rows.count)
    }

    @Test(arguments: TokenTable.rows)
    func eachCellDoesWhatTheTableSays(row: TokenTable.Row) {
        var scene = TokenScene(row.stage)
        let action = scene.apply(row.event)
        #expect(TokenScene.text(action) == row.action)
        #expect(TokenScene.text(scene.machine.state) == row.next)
    }
}
