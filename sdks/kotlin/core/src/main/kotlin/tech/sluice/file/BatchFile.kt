package tech.sluice.file

import tech.sluice.core.Batch
import tech.sluice.core.BatchKind
import tech.sluice.core.attempt
import tech.sluice.core.bodyBytes
import tech.sluice.core.parseJson

/** Content of a file in the format of sdks/contract/store.md. */
internal sealed class BatchFile {
    /** Another program's file, or one of a newer version. It stays untouched. */
    class Untouchable(val isNewer: Boolean) : BatchFile()

    /** A file without a usable batch; damage lost this many messages. */
    class Empty(val lost: Int) : BatchFile()

    /**
     * A batch.
     *
     * @property later messages after the seal; they belong to the batch `key.<count>`
     * @property tries the last record of tries; null if there was none
     * @property dividedAt where the batch was divided; null if it was not
     * @property isTorn true if bytes of a write that did not end follow the valid frames
     * @property end length of the valid frames
     * @property lost number of messages lost by damage
     */
    class Whole(
        val header: Map<*, *>,
        val messages: List<String>,
        val later: List<String>,
        val isSealed: Boolean,
        val tries: Map<*, *>?,
        val dividedAt: Int?,
        val isTorn: Boolean,
        val end: Int,
        val lost: Int,
    ) : BatchFile() {
        val doubts: Int get() = intIn(tries, "doubts")

        /** The batch without its messages; null if the header lacks a member or is not that of [key]. */
        fun makeBatch(key: String): Batch? {
            if (header["key"] != key) return null
            val kind = BatchKind.values().find { it.text == header["kind"] } ?: return null
            val batch =
                Batch(
                    key,
                    header["host"] as? String ?: return null,
                    header["sourceIdentifier"] as? String ?: return null,
                    kind,
                    longIn(header, "created"),
                    messages.size,
                    bodyBytes(messages),
                    isSealed,
                )
            batch.tries = intIn(tries, "tries")
            batch.doubts = doubts
            batch.tooLarge = intIn(tries, "tooLarge")
            batch.firstTry = longIn(tries, "firstTry")
            batch.lastTry = longIn(tries, "lastTry")
            batch.nextTry = longIn(tries, "nextTry")
            return batch
        }
    }

    companion object {
        fun read(bytes: ByteArray): BatchFile {
            if (!Frames.isWhole(bytes)) return Empty(0)
            if (!Frames.startsWithMagic(bytes)) return Untouchable(isNewer = false)
            if (!Frames.isBatchFile(bytes)) return Untouchable(isNewer = true)
            val frames = Frames.from(bytes)
            val end = Frames.endOf(frames)
            val behind = framesBehind(bytes, end)
            val damaged = if (behind.isEmpty()) 0 else 1 + behind.count { it.kind == Frames.MESSAGE }
            val header = frames.firstOrNull()?.takeIf { it.kind == Frames.HEADER }?.let { objectIn(it.text(bytes)) }
            // The damaged frame is the header, which does not count as a message.
            if (header == null) return Empty(if (damaged == 0) 0 else maxOf(1, damaged - 1))
            return readWhole(bytes, frames, header, damaged, isTorn = end < bytes.size && behind.isEmpty())
        }

        private fun readWhole(bytes: ByteArray, frames: List<Frames.Found>, header: Map<*, *>, damaged: Int, isTorn: Boolean): Whole {
            val all = frames.filter { it.kind == Frames.MESSAGE }.map { it.text(bytes) }
            val last = { kind: Char -> frames.lastOrNull { it.kind == kind }?.let { objectIn(it.text(bytes)) } }
            // Clients may seal at the same time: all agree on the first.
            val seal = frames.firstOrNull { it.kind == Frames.SEAL }?.let { objectIn(it.text(bytes)) }
            val count = if (seal == null) all.size else intIn(seal, "count")
            return Whole(
                header = header,
                messages = all.take(count),
                later = all.drop(count),
                isSealed = seal != null,
                tries = last(Frames.TRIES),
                dividedAt = last(Frames.DIVIDED)?.let { intIn(it, "at") },
                isTorn = isTorn,
                end = Frames.endOf(frames),
                lost = damaged + maxOf(0, count - all.size),
            )
        }

        /** The valid frames after invalid bytes; empty if the file ends with these, as after a torn write. */
        private fun framesBehind(bytes: ByteArray, end: Int): List<Frames.Found> {
            for (start in end + 1 until bytes.size) {
                if (Frames.at(bytes, start) != null) return Frames.from(bytes, start)
            }
            return emptyList()
        }

        private fun objectIn(text: String): Map<*, *>? = attempt { parseJson(text) as? Map<*, *> }
    }
}

private fun longIn(members: Map<*, *>?, name: String): Long = (members?.get(name) as? Number)?.toLong() ?: 0

private fun intIn(members: Map<*, *>?, name: String): Int = longIn(members, name).coerceIn(0, Int.MAX_VALUE.toLong()).toInt()
