import Foundation

/// A failure without an answer of the service: a redirect, a bad address, nothing in time.
struct NoAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Meanings of the codes of `NSURLErrorDomain`; the system's own texts are in the language of the user.
    private static let meanings = [
        -1_001: "timed out", -1_003: "no host of this name", -1_004: "cannot connect", -1_005: "connection lost",
        -1_006: "names cannot be looked up", -1_009: "no network", -1_022: "App Transport Security forbids http",
    ]

    /// Why there is no answer, for developers; nil with an answer.
    static func reason(_ reply: Result<HTTPAnswer, any Error>) -> String? {
        guard case .failure(let error) = reply else { return nil }
        if let noAnswer = error as? NoAnswer { return noAnswer.description }
        let facts = error as NSError
        let isOfTLS = -1_206 ... -1_200 ~= facts.code
        let meaning = facts.domain == NSURLErrorDomain ? meanings[facts.code] ?? (isOfTLS ? "TLS failed" : nil) : nil
        return "\(facts.domain) \(facts.code)\(meaning.map { ", \($0)" } ?? "")"
    }
}
