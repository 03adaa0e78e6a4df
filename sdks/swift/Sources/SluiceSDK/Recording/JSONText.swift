/// Writes JSON as text. The text does not depend on the locale, because no formatter takes part.
struct JSONText {
    private(set) var text = ""

    mutating func raw(_ part: String) { text += part }

    mutating func string(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    mutating func number(_ value: Double) {
        text += JSONText.number(value)
    }

    /// Whole numbers have no fraction; others have the shortest digits that give the same value.
    static func number(_ value: Double) -> String {
        value.rounded() == value && abs(value) <= 9_007_199_254_740_992 ? String(Int64(value)) : "\(value)"
    }
}
