-- Act as a role to the end of the transaction: what is made belongs to it, and its grants hold for that.
SELECT set_config('role', :owner, true)
