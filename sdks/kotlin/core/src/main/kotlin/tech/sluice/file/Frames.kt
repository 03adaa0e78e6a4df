package tech.sluice.file

import java.util.zip.CRC32
import tech.sluice.core.formatJson

/** Format of a batch file (sdks/contract/store.md). */
internal object Frames {
    const val HEADER = 'H'
    const val MESSAGE = 'M'
    const val SEAL = 'S'
    const val TRIES = 'T'
    const val DIVIDED = 'D'

    private const val VERSION: Byte = 1
    private val magic = "SLUICEB".toByteArray() + VERSION
    private const val HEAD = 8
    private const val MAX_FRAME_BYTES = 1_048_576

    /** The first bytes of a file. */
    val fileHead: ByteArray get() = magic.clone()

    /** A payload in a file: where it begins, and its length with the byte of its kind. */
    class Found(val kind: Char, val at: Int, val length: Int) {
        val end: Int get() = at + length

        fun text(bytes: ByteArray): String = String(bytes, at + 1, length - 1, Charsets.UTF_8)
    }

    fun frame(kind: Char, text: String): ByteArray {
        val payload = text.toByteArray()
        val frame = ByteArray(HEAD + 1 + payload.size)
        putInt(frame, 0, payload.size + 1)
        frame[HEAD] = kind.code.toByte()
        payload.copyInto(frame, HEAD + 1)
        putInt(frame, 4, checksum(frame, 0, HEAD, payload.size + 1))
        return frame
    }

    fun frame(kind: Char, members: Map<String, Any?>): ByteArray = frame(kind, formatJson(members))

    fun isBatchFile(bytes: ByteArray): Boolean = startsWithMagic(bytes) && bytes[magic.size - 1] == VERSION

    fun startsWithMagic(bytes: ByteArray): Boolean =
        bytes.size >= magic.size && (0 until magic.size - 1).all { bytes[it] == magic[it] }

    fun isWhole(bytes: ByteArray): Boolean = bytes.size >= magic.size

    /** The valid frames from a position on, in order, up to the first invalid one. */
    fun from(bytes: ByteArray, start: Int = magic.size): List<Found> {
        val frames = ArrayList<Found>()
        var frame = at(bytes, start)
        while (frame != null) {
            frames += frame
            frame = at(bytes, frame.end)
        }
        return frames
    }

    /** End of the valid frames. */
    fun endOf(frames: List<Found>): Int = frames.lastOrNull()?.end ?: magic.size

    /** Null if no whole frame begins at this position. */
    fun at(bytes: ByteArray, start: Int): Found? {
        if (start + HEAD > bytes.size) return null
        val length = getInt(bytes, start)
        if (length < 1 || length > MAX_FRAME_BYTES || length > bytes.size - start - HEAD) return null
        if (checksum(bytes, start, start + HEAD, length) != getInt(bytes, start + 4)) return null
        return Found((bytes[start + HEAD].toInt() and 255).toChar(), start + HEAD, length)
    }

    /** Checksum of the four bytes of the length and the payload. */
    private fun checksum(bytes: ByteArray, lengthAt: Int, payloadAt: Int, length: Int): Int {
        val crc = CRC32()
        crc.update(bytes, lengthAt, 4)
        crc.update(bytes, payloadAt, length)
        return crc.value.toInt()
    }

    private fun putInt(bytes: ByteArray, at: Int, value: Int) {
        for (byte in 0..3) bytes[at + byte] = (value ushr (8 * byte)).toByte()
    }

    private fun getInt(bytes: ByteArray, at: Int): Int =
        (0..3).fold(0) { value, byte -> value or ((bytes[at + byte].toInt() and 255) shl (8 * byte)) }
}
