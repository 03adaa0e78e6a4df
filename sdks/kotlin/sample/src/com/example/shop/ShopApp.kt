package com.example.shop

import android.app.Application
import android.content.pm.ApplicationInfo
import android.util.Log
import tech.sluice.Client
import tech.sluice.Configuration
import tech.sluice.ErrorHandler
import tech.sluice.NotificationListener
import tech.sluice.Sluice

/** The app makes its client in `onCreate`, so that it is there when the system starts the app for a push message. */
class ShopApp : Application() {
    lateinit var sluice: Client
        private set

    override fun onCreate() {
        super.onCreate()
        sluice =
            Sluice.create(
                this,
                Configuration("API_KEY", "SOURCE_IDENTIFIER", "https://HOST") {
                    errorHandler = ErrorHandler { Log.w("Shop", it.toString()) }
                    // A debug build logs answers, and sends after 2 seconds instead of 15.
                    debug = applicationInfo.flags and ApplicationInfo.FLAG_DEBUGGABLE != 0
                    notifications {
                        smallIcon = android.R.drawable.ic_dialog_info
                        channelName = "Offers and orders"
                        listener = NotificationListener { Log.i("Shop", "${it.kind} ${it.customData["campaign"]}") }
                    }
                },
            )
    }
}
