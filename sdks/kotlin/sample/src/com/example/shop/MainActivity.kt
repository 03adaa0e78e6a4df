package com.example.shop

import android.app.Activity
import android.os.Bundle
import tech.sluice.NotificationInteraction
import tech.sluice.track

class MainActivity : Activity() {
    private val sluice get() = (application as ShopApp).sluice

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        NotificationInteraction.from(intent)?.let { showCampaign(it.customData["campaign"]) }
        sluice.track("screen_viewed", "screen" to "main")
    }

    fun onSignedIn(userId: String) {
        sluice.identify(userId, mapOf("plan" to "pro"))
    }

    fun onOrdered(total: Double, items: Int) {
        sluice.track(OrderCompleted(total, items))
    }

    fun onSignedOut() {
        sluice.reset()
    }

    private fun showCampaign(campaign: String?) {
        title = campaign
    }
}
