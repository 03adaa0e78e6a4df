package tech.sluice

import android.content.Context
import android.net.Uri
import android.os.Build
import java.util.Locale
import java.util.TimeZone
import org.json.JSONArray
import org.json.JSONObject

/** The platform's part of each message's context. */
internal class DeviceContext(private val context: Context) {
    @Volatile
    private var fixed: Map<String, Any?> = emptyMap()

    /** Asks the system once, on the worker: the answers come from other processes. */
    fun load() {
        val screen = context.resources.displayMetrics
        fixed =
            mapOf(
                "app" to describeApp(),
                "os" to mapOf("name" to "Android", "version" to Build.VERSION.RELEASE, "api" to Build.VERSION.SDK_INT),
                "device" to mapOf("manufacturer" to Build.MANUFACTURER, "model" to Build.MODEL),
                "screen" to mapOf("width" to screen.widthPixels, "height" to screen.heightPixels, "density" to screen.density),
            )
    }

    @Suppress("DEPRECATION")
    private fun describeApp(): Map<String, Any?> =
        try {
            val info = context.packageManager.getPackageInfo(context.packageName, 0)
            mapOf("namespace" to info.packageName, "version" to info.versionName, "build" to info.versionCode)
        } catch (_: Exception) {
            mapOf("namespace" to context.packageName)
        }

    fun members(): Map<String, Any?> = fixed + mapOf("locale" to Locale.getDefault().toLanguageTag(), "timezone" to TimeZone.getDefault().id)
}

/** Android's JSON types as maps and lists, a Uri as its text; other values as they are. */
internal fun toPlain(value: Any): Any =
    when (value) {
        is JSONObject -> value.keys().asSequence().associateWith { name -> value.opt(name).takeIf { it !== JSONObject.NULL } }
        is Uri -> value.toString()
        is JSONArray -> List(value.length()) { index -> value.opt(index).takeIf { it !== JSONObject.NULL } }
        else -> value
    }
