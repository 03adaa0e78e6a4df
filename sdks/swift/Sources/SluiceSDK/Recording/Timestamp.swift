import Foundation

/// Times as text. Written and read without formatters, which would use the calendar and digits of the user's locale.
enum Timestamp {
    /// `YYYY-MM-DDTHH:MM:SS.mmmZ`; nil outside 1970-01-01 to 2149-06-06.
    static func text(milliseconds: Double) -> String? {
        guard milliseconds >= 0, milliseconds < 5_662_310_400_000 else { return nil }
        let whole = Int(milliseconds)
        let (day, rest) = whole.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, date) = civil(day)
        let seconds = rest / 1_000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))"
            + "T\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
            + ".\(padded(rest % 1_000, 3))Z"
    }

    static func text(_ date: Date) -> String? {
        text(milliseconds: (date.timeIntervalSince1970 * 1_000).rounded())
    }

    /// Milliseconds since 1970 of an HTTP date, `Wed, 21 Oct 2026 07:28:00 GMT`; nil for any other text.
    static func milliseconds(httpDate text: String) -> Double? {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2])), (1970...9999).contains(year), (1...31).contains(day)
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, time.allSatisfy({ (0...60).contains($0) }) else { return nil }
        return Double((days(year, month + 1, day) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]) * 1_000)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Year, month and day of a day since 1970 in the Gregorian calendar. Eras of 400 years begin on 1 March.
    private static func civil(_ day: Int) -> (Int, Int, Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        let date = ofYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        return (yearOfEra + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3, date)
    }

    /// Days since 1970 of a date in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }
}
