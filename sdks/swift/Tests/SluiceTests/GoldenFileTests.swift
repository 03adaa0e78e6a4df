import XCTest
@testable import SluiceSDK

/// The golden files of the contract: read as expected, and written byte for byte.
final class GoldenFileTests: XCTestCase {
    private let folder = Contract.folder.appendingPathComponent("store")
    private let origin = Origin(
        key: "key-1", host: "https://sluice.test", sourceIdentifier: "Source000001", kind: .track, created: 1_769_860_800_000)
    private let texts = ["a", "ü😀", "c"].enumerated().map {
        "{\"anonymousId\":\"a-1\",\"event\":\"e\($0.offset)\",\"properties\":{\"t\":\"\($0.element)\"}}"
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }

    func testEveryFileIsReadAsExpected() throws {
        let expected = try Contract.json("store/expected.json").members
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".batch") }
        XCTAssertEqual(expected.map(\.name).sorted(), names.sorted())
        for (name, value) in expected {
            let read = described(BatchFormat.read(try bytes(name)))
            XCTAssertEqual(read.canonical, value.canonical, name)
        }
    }

    func testFilesAreWrittenByteForByte() throws {
        let open = BatchFormat.fileHead + BatchFormat.header(origin) + texts.flatMap { BatchFormat.frame(.message, $0) }
        let seal = BatchFormat.seal(count: 3)
        func tried(_ doubts: Int) -> [UInt8] {
            BatchFormat.tries(Tries(
                tries: 1, doubts: doubts, tooLarge: 0, firstTry: 1_769_860_802_000, lastTry: 1_769_860_802_000,
                nextTry: 1_769_860_807_500))
        }
        let made = [
            "open.batch": open, "sealed.batch": open + seal, "tried.batch": open + seal + tried(1) + tried(0),
            "in-doubt.batch": open + seal + tried(1), "divided.batch": open + seal + tried(0) + BatchFormat.divided(at: 2),
        ]
        for (name, bytes) in made { XCTAssertEqual(bytes, try self.bytes(name), name) }
    }

    func testACutFileKeepsAPrefixOfWholeMessages() throws {
        let whole = try bytes("open.batch")
        for end in 0...whole.count {
            switch BatchFormat.read(Array(whole[..<end])) {
            case .batch(let file):
                XCTAssertEqual(file.messages, Array(texts.prefix(file.messages.count)))
                XCTAssertEqual(file.lost, 0)
            case let other: XCTAssertEqual(other, .empty(lost: 0))
            }
        }
    }

    func testAFlippedBitNeverChangesAMessage() throws {
        let whole = try bytes("sealed.batch")
        for bit in 64..<whole.count * 8 {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            guard case .batch(let file) = BatchFormat.read(flipped) else { continue }
            XCTAssertEqual(file.messages, Array(texts.prefix(file.messages.count)))
        }
    }

    private func described(_ read: ReadBatch) -> JSON {
        switch read {
        case .foreign: return .object(["is": .string("foreign")])
        case .newer: return .object(["is": .string("newer")])
        case .empty(let lost): return .object(["is": .string("empty"), "lost": .number(Double(lost))])
        case .batch(let file):
            return .object([
                "is": .string("batch"),
                "header": .object([
                    "key": .string(file.origin.key), "host": .string(file.origin.host),
                    "sourceIdentifier": .string(file.origin.sourceIdentifier), "kind": .string(file.origin.kind.rawValue),
                    "created": .number(file.origin.created),
                ]),
                "messages": .array(file.messages.map { .string($0) }), "later": .array(file.later.map { .string($0) }),
                "isSealed": .bool(file.isSealed), "isTorn": .bool(file.isTorn), "lost": .number(Double(file.lost)),
                "dividedAt": file.dividedAt.map { .number(Double($0)) } ?? .null,
                "tries": file.tries.map(described) ?? .null,
            ])
        }
    }

    private func described(_ tries: Tries) -> JSON {
        .object([
            "tries": .number(Double(tries.tries)), "doubts": .number(Double(tries.doubts)),
            "tooLarge": .number(Double(tries.tooLarge)), "firstTry": .number(tries.firstTry),
            "lastTry": .number(tries.lastTry), "nextTry": .number(tries.nextTry),
        ])
    }
}
