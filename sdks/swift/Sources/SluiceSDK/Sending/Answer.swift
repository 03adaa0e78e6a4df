struct Refusal: Sendable {
    let field: String
    let message: String
}

/// The service's answer to a request.
struct Verdict: Sendable {
    enum Meaning: Sendable {
        /// The service has the batch, except the messages that `reasons` name.
        case stored
        /// It never takes the batch as it is.
        case tooLarge, refused
        /// It does not accept the credentials.
        case unauthorized
        /// It has certainly not stored the batch, and may take it later.
        case later
        /// It may have stored the batch, or not. Also an answer of something else: a captive portal, a proxy.
        case unknown
    }

    let meaning: Meaning
    /// False for an answer from anything else (a proxy, a portal, a wrong path) and without an answer.
    let isOfService: Bool
    /// Why the batch was refused, or which messages of a stored batch were, and why.
    let reasons: [Refusal]
    /// Values that were left out of stored messages.
    let dropped: [Refusal]

    /// True if a daily quota of the source is used up.
    var isForQuota: Bool { reasons.contains { $0.message == "error.request.quotaExceeded" } }

    init(_ answer: HTTPAnswer?) {
        let body = answer.flatMap { JSON(parsing: $0.body) }
        let refusals = Verdict.refusals(body)
        let isOfWrongPath = answer?.status == 404 && refusals.contains { $0.message == "error.request.notFound" }
        // A service that has the host but not this path says nothing about the source and its key.
        meaning = isOfWrongPath ? .later : Verdict.meaning(answer?.status ?? 0, body)
        isOfService = meaning == .stored || (!refusals.isEmpty && !isOfWrongPath)
        reasons = Verdict.refusals(meaning == .stored ? body?["rejected"] : body)
        dropped = Verdict.refusals(body?["dropped"])
    }

    private static func meaning(_ status: Int, _ body: JSON?) -> Meaning {
        if status == 200 { return body?["status"]?.text == "QUEUED" ? .stored : .unknown }
        guard !refusals(body).isEmpty else { return .unknown }
        switch status {
        case 400, 415, 417, 431: return .refused
        case 401, 403, 404, 405: return .unauthorized
        case 413: return .tooLarge
        case 408, 429: return .later
        default: return .unknown
        }
    }

    /// Empty if the value is not a list of refusals only.
    private static func refusals(_ list: JSON?) -> [Refusal] {
        let items = list?.list ?? []
        let wholeRefusals = items.compactMap { item -> Refusal? in
            guard let field = item["field"]?.text, let message = item["message"]?.text else { return nil }
            return Refusal(field: field, message: message)
        }
        return wholeRefusals.count == items.count ? wholeRefusals : []
    }

    static func inWords(_ reasons: [Refusal]) -> String {
        reasons.map { $0.field.isEmpty ? $0.message : "\($0.field): \($0.message)" }.joined(separator: "; ")
    }

    /// Number of messages of a batch that the reasons name; `list[3].userId` names the fourth.
    static func messagesNamed(_ reasons: [Refusal]) -> Int {
        Set(reasons.map { place($0.field) }).count
    }

    private static func place(_ field: String) -> Int? {
        guard field.hasPrefix("list["), let end = field.firstIndex(of: "]") else { return nil }
        return Int(field.dropFirst(5).prefix(upTo: end))
    }
}
